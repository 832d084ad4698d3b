//! Running a command with a time limit, its output captured.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a command ended.
pub struct Done {
    /// The exit code; 128 + N for signal N, as a shell says it. `None`: the time was up.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// The end in words.
    pub fn end(&self) -> String {
        match self.code {
            None => "was still running when its time was up".into(),
            Some(code) if code > 128 => format!("ended by signal {}", code - 128),
            Some(code) => format!("ended with code {code}"),
        }
    }
}

/// What is kept of each stream; a run-away program must not fill the memory.
const MOST_OUTPUT: u64 = 16 << 20;

pub fn run(command: &mut Command, stdin: &[u8], limit: Duration) -> Result<Done, String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| format!("cannot run {command:?}: {why}"))?;
    let (mut input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let stdin = stdin.to_vec();
    let feeder = std::thread::spawn(move || {
        // A program need not read what it is given.
        let _ = input.take().map(|mut pipe| pipe.write_all(&stdin));
    });
    let readers = (std::thread::spawn(move || text(out)), std::thread::spawn(move || text(err)));
    let start = Instant::now();
    let mut nap = Duration::from_micros(300);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(nap),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
        nap = (nap * 3 / 2).min(Duration::from_millis(10));
    };
    let _ = feeder.join();
    Ok(Done {
        code: status.map(exit_code),
        stdout: readers.0.join().unwrap_or_default(),
        stderr: readers.1.join().unwrap_or_default(),
    })
}

fn exit_code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.by_ref().take(MOST_OUTPUT).read_to_end(&mut bytes);
        // The rest is drained, so that the writer does not block for ever.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
