//! What `toft profile` keeps while the program runs: sums for each place of allocation,
//! live bytes by kind of region and owner over time, collections. The clock is the number
//! of bytes allocated so far, so that the same program gives the same figures.

use core::ptr;
use libc::c_void;

use super::list::{Index, List, mix};
use super::live::Live;
use super::{Hooks, write};
use crate::mem::heap::Heap;
use crate::mem::region::{DYNAMIC, REAP, Region};
use crate::os;
use crate::proc::{self, Desc, Proc, Site};

/// Kinds of regions times kinds of owners.
pub const CLASSES: usize = 15;
/// Lifetimes by their logarithm.
pub const LOGS: usize = 48;
/// Above this many samples every second one is dropped.
const MAX_SAMPLES: usize = 1024;

/// How an object ended.
pub const FREED: u32 = 0;
pub const REGION: u32 = 1;
pub const COLLECTED: u32 = 2;

/// All objects of one type made at one place in one kind of region with one kind of owner.
#[derive(Clone, Copy)]
pub struct Row {
    pub site: *const Site,
    pub desc: *const Desc,
    pub class: u32,
    pub count: u64,
    pub bytes: u64,
    pub live: u64,
    pub live_bytes: u64,
    pub peak_bytes: u64,
    pub life_sum: u64,
    pub life_max: u64,
    /// Sum of the births of what lives.
    pub births: u64,
    /// In how many collections objects were found dead, and the last of them.
    pub gcs: u64,
    last_gc: u64,
    pub lives: [u32; LOGS],
}

/// Where objects of a row ended.
#[derive(Clone, Copy)]
pub struct Death {
    pub row: u32,
    pub how: u32,
    pub site: *const Site,
    pub count: u64,
}

#[derive(Clone, Copy)]
pub struct Sample {
    pub ns: u64,
    pub clock: u64,
    pub heap: u64,
    pub regions: u64,
    pub live: [u64; CLASSES],
}

#[derive(Clone, Copy)]
pub struct Pause {
    pub ns: u64,
    pub clock: u64,
    pub pause_ns: u64,
    pub live: u64,
}

#[repr(C)]
pub struct Profile {
    hooks: Hooks,
    pub proc: *mut Proc,
    pid: i32,
    start: u64,
    pub clock: u64,
    pub count: u64,
    /// Events so far, the one that is sampled next, and the distance between two.
    events: u64,
    next: u64,
    step: u64,
    pub live: [u64; CLASSES],
    pub total: u64,
    pub peak: u64,
    /// Memory for the profile ran out: nothing is recorded any more.
    pub failed: bool,
    written: bool,
    objects: Live,
    pub rows: List<Row>,
    row_index: Index,
    pub deaths: List<Death>,
    death_index: Index,
    pub samples: List<Sample>,
    pub pauses: List<Pause>,
    pub out: write::Out,
}

/// Starts profiling, if `TOFT_PROFILE` in the environment names a file for the result.
///
/// # Safety
/// Called at the start of the main process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_prof_start(own: *mut Proc) {
    // SAFETY: `own` is the process; the memory is large enough and never given back.
    unsafe {
        let path = libc::getenv(c"TOFT_PROFILE".as_ptr());
        if path.is_null() {
            return;
        }
        let path = libc::strdup(path);
        // A program that this one starts must not write over the profile.
        libc::unsetenv(c"TOFT_PROFILE".as_ptr());
        let profile: *mut Profile = os::malloc(size_of::<Profile>()).cast();
        if profile.is_null() || path.is_null() {
            return;
        }
        profile.write(Profile {
            hooks: Hooks { alloc, free, end, collected, finish },
            proc: own,
            pid: libc::getpid(),
            start: os::now_ns(),
            clock: 0,
            count: 0,
            events: 0,
            next: 1,
            step: 1,
            live: [0; CLASSES],
            total: 0,
            peak: 0,
            failed: false,
            written: false,
            objects: Live::EMPTY,
            rows: List::EMPTY,
            row_index: Index::EMPTY,
            deaths: List::EMPTY,
            death_index: Index::EMPTY,
            samples: List::EMPTY,
            pauses: List::EMPTY,
            out: write::Out::new(path),
        });
        (*profile).sample();
        (*own).prof = profile.cast();
    }
    os::at_exit(at_end);
}

extern "C" fn at_end() {
    let p = proc::current();
    // SAFETY: the process of this thread is valid or null; the hooks are ours.
    unsafe {
        if !p.is_null() && !(*p).prof.is_null() {
            finish((*p).prof);
        }
    }
}

/// The profile behind its hooks.
unsafe fn of<'a>(hooks: *mut Hooks) -> &'a mut Profile {
    // SAFETY: the hooks are the first field; only one hook runs at a time.
    unsafe { &mut *hooks.cast::<Profile>() }
}

/// Heap, arena, reap, dynamic arena, dynamic reap; three owners each.
fn class(region: *const Region, q: u32) -> u32 {
    // SAFETY: null or a region's handle.
    let kind = if region.is_null() { 0 } else { unsafe { (*region).kind } };
    let home = match (kind, kind & REAP != 0, kind & DYNAMIC != 0) {
        (0, ..) => 0,
        (_, reap, dynamic) => 1 + u32::from(reap) + 2 * u32::from(dynamic),
    };
    home * 3 + q.min(2)
}

unsafe fn alloc(
    hooks: *mut Hooks,
    p: *mut c_void,
    bytes: u64,
    region: *mut Region,
    q: u32,
    (site, desc): super::Made,
) {
    // SAFETY: the hooks are ours.
    let profile = unsafe { of(hooks) };
    if profile.failed || p.is_null() {
        return;
    }
    // What was there before is gone, though nobody said so.
    profile.remove(p as usize, COLLECTED, ptr::null());
    if profile.add(p as usize, bytes, region, class(region, q), site, desc).is_none() {
        profile.failed = true;
    }
    profile.tick();
}

unsafe fn free(hooks: *mut Hooks, p: *mut c_void, site: *const Site) {
    // SAFETY: the hooks are ours.
    let profile = unsafe { of(hooks) };
    if !profile.failed && profile.remove(p as usize, FREED, site) {
        profile.tick();
    }
}

unsafe fn end(hooks: *mut Hooks, region: *mut Region, site: *const Site) {
    // SAFETY: the hooks are ours.
    let profile = unsafe { of(hooks) };
    if profile.failed {
        return;
    }
    let mut any = false;
    let mut at = profile.objects.first(region as usize);
    while let Some((addr, next)) = profile.objects.step(at) {
        any |= profile.remove(addr, REGION, site);
        at = next;
    }
    if any {
        profile.tick();
    }
}

unsafe fn collected(hooks: *mut Hooks, heap: *const Heap, pause_ns: u64) {
    // SAFETY: the hooks are ours; the heap is that of this process.
    let (profile, heap) = unsafe { (of(hooks), &*heap) };
    if profile.failed {
        return;
    }
    let mut at = profile.objects.first(0);
    while let Some((addr, next)) = profile.objects.step(at) {
        // SAFETY: it was an object of the heap before.
        if unsafe { !super::alive(heap, addr as *const u8) } {
            profile.remove(addr, COLLECTED, ptr::null());
        }
        at = next;
    }
    let ns = os::now_ns().saturating_sub(profile.start);
    let pause = Pause { ns, clock: profile.clock, pause_ns, live: profile.total };
    profile.failed |= profile.pauses.push(pause).is_none();
    profile.tick();
}

/// Writes the profile, once, and only in the process that was started.
unsafe fn finish(hooks: *mut Hooks) {
    // SAFETY: the hooks are ours.
    let profile = unsafe { of(hooks) };
    // SAFETY: always sound.
    if profile.written || unsafe { libc::getpid() } != profile.pid {
        return;
    }
    profile.written = true;
    profile.sample();
    write::all(profile);
}

impl Profile {
    fn add(
        &mut self,
        addr: usize,
        bytes: u64,
        region: *mut Region,
        class: u32,
        site: *const Site,
        desc: *const Desc,
    ) -> Option<()> {
        let row = self.row(site, desc, class)?;
        self.clock += bytes;
        self.count += 1;
        self.objects.add(addr, bytes, self.clock, row, region as usize)?;
        let row = &mut self.rows.all_mut()[row as usize];
        row.count += 1;
        row.bytes += bytes;
        row.live += 1;
        row.live_bytes += bytes;
        row.births = row.births.wrapping_add(self.clock);
        row.peak_bytes = row.peak_bytes.max(row.live_bytes);
        self.live[class as usize] += bytes;
        self.total += bytes;
        self.peak = self.peak.max(self.total);
        Some(())
    }

    fn row(&mut self, site: *const Site, desc: *const Desc, class: u32) -> Option<u32> {
        let hash = |row: &Row| mix(row.site as u64 ^ u64::from(row.class), row.desc as u64);
        let row = Row {
            site,
            desc,
            class,
            count: 0,
            bytes: 0,
            live: 0,
            live_bytes: 0,
            peak_bytes: 0,
            life_sum: 0,
            life_max: 0,
            births: 0,
            gcs: 0,
            last_gc: u64::MAX,
            lives: [0; LOGS],
        };
        let rows = self.rows.all();
        let same = |i: u32| {
            let old = &rows[i as usize];
            ptr::eq(old.site, site) && ptr::eq(old.desc, desc) && old.class == class
        };
        if let Some(found) = self.row_index.find(hash(&row), same) {
            return Some(found);
        }
        let new = self.rows.push(row)?;
        let rows = self.rows.all();
        self.row_index.add(new, |i| hash(&rows[i as usize]))?;
        Some(new)
    }

    fn remove(&mut self, addr: usize, how: u32, site: *const Site) -> bool {
        let Some(object) = self.objects.remove(addr) else { return false };
        let life = self.clock - object.birth;
        let row = &mut self.rows.all_mut()[object.site as usize];
        row.live -= 1;
        row.live_bytes -= object.bytes;
        row.births = row.births.wrapping_sub(object.birth);
        let gc = self.pauses.all().len() as u64;
        if how == COLLECTED && row.last_gc != gc {
            (row.gcs, row.last_gc) = (row.gcs + 1, gc);
        }
        row.life_sum = row.life_sum.saturating_add(life);
        row.life_max = row.life_max.max(life);
        let log = (64 - life.leading_zeros() as usize).min(LOGS - 1);
        row.lives[log] = row.lives[log].saturating_add(1);
        self.live[row.class as usize] -= object.bytes;
        self.total -= object.bytes;
        if self.died(object.site, how, site).is_none() {
            self.failed = true;
        }
        true
    }

    fn died(&mut self, row: u32, how: u32, site: *const Site) -> Option<()> {
        let hash = |d: &Death| mix(u64::from(d.row) << 2 | u64::from(d.how), d.site as u64);
        let death = Death { row, how, site, count: 0 };
        let deaths = self.deaths.all();
        let same = |i: u32| {
            let old = &deaths[i as usize];
            old.row == row && old.how == how && ptr::eq(old.site, site)
        };
        let at = match self.death_index.find(hash(&death), same) {
            Some(found) => found,
            None => {
                let new = self.deaths.push(death)?;
                let deaths = self.deaths.all();
                self.death_index.add(new, |i| hash(&deaths[i as usize]))?;
                new
            }
        };
        self.deaths.all_mut()[at as usize].count += 1;
        Some(())
    }

    /// Something has changed: one sample in `step` changes is kept.
    fn tick(&mut self) {
        self.events += 1;
        if self.events < self.next {
            return;
        }
        self.sample();
        if self.samples.all().len() >= MAX_SAMPLES {
            let samples = self.samples.all_mut();
            let half = samples.len() / 2;
            for i in 0..half {
                samples[i] = samples[i * 2];
            }
            self.samples.truncate(half);
            self.step *= 2;
        }
        self.next = self.events + self.step;
    }

    fn sample(&mut self) {
        // SAFETY: the process is valid, its heap null or valid.
        let (heap, regions) = unsafe {
            let heap = (*self.proc).heap;
            if heap.is_null() {
                (0, 0)
            } else {
                let figures = (*heap).figures();
                (figures.heap_bytes, figures.region_bytes)
            }
        };
        let ns = os::now_ns().saturating_sub(self.start);
        let sample = Sample { ns, clock: self.clock, heap, regions, live: self.live };
        self.failed |= self.samples.push(sample).is_none();
    }
}
