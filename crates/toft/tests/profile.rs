//! `toft profile`: programs whose figures are known beforehand.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The command, with the runtime's archive beside it.
fn toft() -> Command {
    static READY: OnceLock<()> = OnceLock::new();
    let exe = Path::new(env!("CARGO_BIN_EXE_toft"));
    READY.get_or_init(|| {
        let dir = exe.parent().expect("the command is in a folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "-p", "toft-rt", "--target-dir"]);
        build.arg(dir.parent().expect("of the target folder"));
        if dir.ends_with("release") {
            build.arg("--release");
        }
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().expect("cargo runs").success(), "the runtime does not build");
    });
    Command::new(exe)
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profile").join(format!("{name}.toft"))
}

struct Profiled {
    output: Output,
    /// The rows of the table, without the file's path.
    rows: Vec<String>,
    page: String,
}

/// Profiles a program in a folder of its own.
fn profile(name: &str, options: &[&str]) -> Profiled {
    let label: String = options.concat().chars().filter(char::is_ascii_alphanumeric).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{label}"));
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    let output = toft()
        .arg("profile")
        .args(options)
        .arg(source(name))
        .current_dir(&dir)
        .env("XDG_CACHE_HOME", &dir)
        .output()
        .expect("toft runs");
    let read = |kind: &str| {
        std::fs::read_to_string(dir.join(format!("{name}.profile.{kind}")))
            .unwrap_or_else(|why| panic!("{name}.profile.{kind}: {why}: {output:?}"))
    };
    let path = source(name);
    let path = path.to_str().expect("a plain path");
    let table = read("csv").replace(path, name);
    let rows = table.lines().map(str::to_owned).collect();
    Profiled { rows, page: read("html").replace(path, name), output }
}

const HEAD: &str = "file,line,column,function,type,region,owner,count,bytes,live,live_bytes,\
                    peak_bytes,freed,ended_with_region,collected,collections,life_mean,life_max,\
                    death,deaths_there,candidate";

#[test]
fn every_object_is_counted() {
    for options in [&["-O0"][..], &["-O2"]] {
        let run = profile("mix", options);
        assert_eq!(run.output.status.code(), Some(7), "the program's own exit code");
        assert_eq!(String::from_utf8_lossy(&run.output.stdout), "1225\n0 99\n");
        let expected = [
            HEAD,
            "mix,21,28,in_arena,big,arena,aliasable,50,6400,0,0,6400,0,50,0,0,3136,6272,region ended at mix:25:5,50,",
            "mix,59,14,main,int,heap,aliasable,1,4000,1,4000,4000,0,0,0,0,0,0,end of the program,1,",
            "mix,48,30,in_reap,big,reap,unique,30,3840,0,0,128,30,0,0,0,0,0,freed at mix:49:9,30,",
            "mix,38,29,counted,big,heap,counted,20,2560,0,0,128,20,0,0,0,0,0,freed at mix:41:9,20,",
            "mix,11,22,make,node,heap,aliasable,100,1600,100,1600,1600,0,0,0,0,18872,0,end of the program,100,all live until the end of the program",
            "mix,30,28,owned,big,heap,unique,10,1280,0,0,128,10,0,0,0,0,0,freed at mix:32:9,10,",
        ];
        assert_eq!(run.rows, expected);
    }
}

#[test]
fn an_exception_ends_regions_and_the_program() {
    let run = profile("left", &[]);
    assert!(!run.output.status.success());
    let expected = [
        HEAD,
        "left,9,24,deep,big,arena,aliasable,7,896,3,384,512,0,4,0,0,164,384,region ended by an exception or the collector,4,",
        "left,16,12,main,big,heap,aliasable,1,128,1,128,128,0,0,0,0,896,0,end of the program,1,all live until the end of the program",
    ];
    assert_eq!(run.rows, expected);
}

#[test]
fn a_key_ends_its_region() {
    let run = profile("dynamic", &[]);
    assert_eq!(run.output.status.code(), Some(3));
    let row = "dynamic,13,32,use,big,dynamic arena,aliasable,8,1024,0,0,640,0,8,0,0,208,512,region ended at dynamic:18:5,8,";
    assert_eq!(run.rows, [HEAD, row]);
}

/// Every element that is opened is closed, in order.
fn assert_closed(page: &str) {
    let voids = ["meta", "input", "line"];
    let mut open = Vec::new();
    let script = page.find("<script>").expect("a script");
    let style = page.find("</style>").expect("a style");
    let mut rest = &page[style + 8..script];
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        let name = tag.trim_start_matches('/').split([' ', '/', '>']).next().unwrap_or("");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes another element");
        } else if !tag.ends_with('/') && !voids.contains(&name) {
            open.push(name);
        }
        rest = &rest[end..];
    }
    // The style and the head were opened before.
    assert!(open.iter().all(|name| *name == "body"), "{open:?} stay open");
}

#[test]
fn the_page_is_whole() {
    let page = profile("mix", &["-O1"]).page;
    for part in ["summary", "candidates", "live", "reserved", "collections", "sites"] {
        assert!(page.contains(&format!("id=\"{part}\"")), "no section {part}");
    }
    assert_eq!(page.matches("<tr class=\"candidate\">").count(), 1);
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(!page.contains("http"), "the page needs no network");
    let body = page.replacen("</head>", "", 1);
    assert_closed(&body);
}

#[test]
fn other_programs_know_nothing_of_it() {
    let out = toft().args(["build", "--emit=c"]).arg(source("mix")).output().expect("toft runs");
    assert!(out.status.success() && !String::from_utf8_lossy(&out.stdout).contains("TOFT_AT"));
}

#[test]
fn without_a_page_it_says_so() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed");
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    let file = dir.join("killed.toft");
    std::fs::write(&file, "#include <stdlib.h>\nint main(void) { abort(); }\n").expect("a file");
    let out = toft().arg("profile").arg(&file).current_dir(&dir).output().expect("toft runs");
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("the program left no profile"));
}
