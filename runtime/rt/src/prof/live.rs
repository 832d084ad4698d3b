//! The objects that are alive: found by address, and by the region they are in.

use super::list::{Index, List, NONE, mix};

/// An object.
#[derive(Clone, Copy)]
pub struct Object {
    pub addr: usize,
    pub bytes: u64,
    /// Bytes that had been allocated when it came.
    pub birth: u64,
    pub site: u32,
    region: u32,
    /// In its bucket.
    chain: u32,
    /// In its region.
    prev: u32,
    next: u32,
}

/// A region by the address of its handle: 0 is the heap. Another region may come to have
/// the same address after the end of the first.
#[derive(Clone, Copy)]
struct Home {
    addr: usize,
    first: u32,
}

pub struct Live {
    objects: List<Object>,
    free: u32,
    count: usize,
    buckets: List<u32>,
    homes: List<Home>,
    by_addr: Index,
}

impl Live {
    pub const EMPTY: Live = Live {
        objects: List::EMPTY,
        free: NONE,
        count: 0,
        buckets: List::EMPTY,
        homes: List::EMPTY,
        by_addr: Index::EMPTY,
    };

    fn home_of(&self, region: usize) -> Option<u32> {
        let same = |i: u32| self.homes.all()[i as usize].addr == region;
        self.by_addr.find(mix(region as u64, 1), same)
    }

    /// An object comes. Nothing if there is no memory.
    pub fn add(
        &mut self,
        addr: usize,
        bytes: u64,
        birth: u64,
        site: u32,
        region: usize,
    ) -> Option<()> {
        self.grow()?;
        let home = match self.home_of(region) {
            Some(home) => home,
            None => {
                let home = self.homes.push(Home { addr: region, first: NONE })?;
                let homes = &self.homes;
                self.by_addr.add(home, |i| mix(homes.all()[i as usize].addr as u64, 1))?;
                home
            }
        };
        let first = self.homes.all()[home as usize].first;
        let bucket = self.bucket(addr);
        let chain = self.buckets.all()[bucket];
        let object =
            Object { addr, bytes, birth, site, region: home, chain, prev: NONE, next: first };
        let at = if self.free == NONE {
            self.objects.push(object)?
        } else {
            let at = self.free;
            self.free = self.objects.all()[at as usize].next;
            self.objects.all_mut()[at as usize] = object;
            at
        };
        if first != NONE {
            self.objects.all_mut()[first as usize].prev = at;
        }
        self.homes.all_mut()[home as usize].first = at;
        self.buckets.all_mut()[bucket] = at;
        self.count += 1;
        Some(())
    }

    /// The object at `addr` goes.
    pub fn remove(&mut self, addr: usize) -> Option<Object> {
        if self.count == 0 {
            return None;
        }
        let bucket = self.bucket(addr);
        let mut before = NONE;
        let mut at = self.buckets.all()[bucket];
        while at != NONE && self.objects.all()[at as usize].addr != addr {
            (before, at) = (at, self.objects.all()[at as usize].chain);
        }
        if at == NONE {
            return None;
        }
        let object = self.objects.all()[at as usize];
        if before == NONE {
            self.buckets.all_mut()[bucket] = object.chain;
        } else {
            self.objects.all_mut()[before as usize].chain = object.chain;
        }
        if object.prev == NONE {
            self.homes.all_mut()[object.region as usize].first = object.next;
        } else {
            self.objects.all_mut()[object.prev as usize].next = object.next;
        }
        if object.next != NONE {
            self.objects.all_mut()[object.next as usize].prev = object.prev;
        }
        self.objects.all_mut()[at as usize].next = self.free;
        self.free = at;
        self.count -= 1;
        Some(object)
    }

    /// The newest object of a region.
    pub fn first(&self, region: usize) -> u32 {
        self.home_of(region).map_or(NONE, |home| self.homes.all()[home as usize].first)
    }

    /// The address of an object, and the next one of its region.
    pub fn step(&self, at: u32) -> Option<(usize, u32)> {
        let object = self.objects.all().get(at as usize)?;
        Some((object.addr, object.next))
    }

    fn bucket(&self, addr: usize) -> usize {
        mix(addr as u64, 2) as usize & (self.buckets.all().len() - 1)
    }

    /// Room for one more: as many buckets as objects.
    fn grow(&mut self) -> Option<()> {
        let old = self.buckets.all().len();
        if self.count < old {
            return Some(());
        }
        // Every object is put anew; those that are gone are in no bucket before and after.
        for _ in old..(old * 2).max(1024) {
            self.buckets.push(NONE)?;
        }
        let mut all = NONE;
        for bucket in 0..old {
            let mut at = self.buckets.all()[bucket];
            self.buckets.all_mut()[bucket] = NONE;
            while at != NONE {
                let next = self.objects.all()[at as usize].chain;
                self.objects.all_mut()[at as usize].chain = all;
                (all, at) = (at, next);
            }
        }
        while all != NONE {
            let (addr, next) = {
                let object = &self.objects.all()[all as usize];
                (object.addr, object.chain)
            };
            let bucket = self.bucket(addr);
            self.objects.all_mut()[all as usize].chain = self.buckets.all()[bucket];
            self.buckets.all_mut()[bucket] = all;
            all = next;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_and_go() {
        let mut live = Live::EMPTY;
        for n in 1..5000_usize {
            live.add(n * 16, n as u64, 0, 7, n % 3 * 64).expect("memory");
        }
        for n in (1..5000_usize).step_by(2) {
            assert_eq!(live.remove(n * 16).map(|object| object.bytes), Some(n as u64));
            assert!(live.remove(n * 16).is_none());
        }
        let mut count = 0;
        let mut at = live.first(64);
        while let Some((addr, next)) = live.step(at) {
            assert!(addr / 16 % 3 == 1 && addr / 16 % 2 == 0);
            live.remove(addr);
            (at, count) = (next, count + 1);
        }
        assert_eq!(count, 833);
        assert!(live.first(64) == NONE && live.first(128) != NONE && live.first(5) == NONE);
    }
}
