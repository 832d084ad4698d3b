//! The host's own headers, preprocessed by its C compiler.

use super::parse_as;
use std::io::Write;
use std::process::{Command, Stdio};
use toft_base::FileKind;

const HEADERS: &[&str] = &[
    "stdio.h",
    "stdlib.h",
    "string.h",
    "math.h",
    "time.h",
    "errno.h",
    "unistd.h",
    "fcntl.h",
    "sys/types.h",
    "sys/stat.h",
    "sys/socket.h",
    "sys/mman.h",
    "sys/wait.h",
    "sys/time.h",
    "netinet/in.h",
    "arpa/inet.h",
    "netdb.h",
    "pthread.h",
    "signal.h",
    "ctype.h",
    "limits.h",
    "stdint.h",
    "stddef.h",
    "stdarg.h",
    "assert.h",
    "setjmp.h",
    "locale.h",
    "wchar.h",
    "poll.h",
    "sys/epoll.h",
    "dirent.h",
    "termios.h",
    "inttypes.h",
    "complex.h",
    "tgmath.h",
    "stdatomic.h",
    "threads.h",
    "fenv.h",
    "regex.h",
    "glob.h",
    "sys/uio.h",
    "sys/un.h",
    "sys/select.h",
    "sys/resource.h",
    "sys/ioctl.h",
    "semaphore.h",
    "search.h",
    "dlfcn.h",
    "pwd.h",
    "grp.h",
    "syslog.h",
    "ucontext.h",
    "elf.h",
    "link.h",
    "immintrin.h",
];

fn preprocess(text: &str) -> Option<String> {
    let mut child = Command::new("cc")
        .args(["-E", "-P", "-O2", "-D_GNU_SOURCE", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn host_headers_parse() {
    let all: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    let mut seen = 0;
    for text in HEADERS.iter().map(|header| format!("#include <{header}>\n")).chain([all]) {
        // A host without this header has nothing to say about it.
        let Some(source) = preprocess(&text) else { continue };
        seen += 1;
        let (dump, errors) = parse_as(&source, FileKind::Foreign);
        let first: Vec<_> = errors.iter().take(5).collect();
        assert!(errors.is_empty(), "{text}: {first:#?}");
        assert!(!dump.contains("<error>"), "{text}");
    }
    assert!(seen > 20 || preprocess("").is_none(), "only {seen} headers");
}
