//! Tests of the search for headers, in a folder of their own.

use super::*;
use crate::TempDir;
use toft_diag::session::Options;

struct World {
    dir: TempDir,
    sess: Session,
    search: HeaderSearch,
}

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let dir = TempDir::new().expect("writable");
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("inside")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        let under = |name: &str| vec![dir.path().join(name)];
        let paths =
            SearchPaths { user: under("user"), library: under("lib"), foreign: under("sys") };
        let search = HeaderSearch::new(&paths, None, &define_line("FROM_D=7", false));
        World { dir, sess: Session::new(Options::default()), search }
    }

    fn run(&mut self, main: &str) -> String {
        let path = self.dir.path().join(main);
        let id = self.search.load_main(&self.sess, &path).expect("there");
        let tokens = toft_pp::run(&self.sess, id, &mut self.search);
        let text: Vec<&str> = tokens.iter().map(|token| token.sym.as_str()).collect();
        text.join(" ").trim().to_owned()
    }
}

#[test]
fn order_of_search() {
    let mut world = World::new(&[
        ("main.toft", "#include \"a.h\"\n#include <a.h>\n#include <b.h>\n#include <c.h>\nFROM_D"),
        ("a.h", "own"),
        ("user/a.h", "user"),
        ("lib/b.h", "lib"),
        ("sys/a.h", "no"),
        ("sys/b.h", "no"),
        ("sys/c.h", "sys"),
    ]);
    assert_eq!(world.run("main.toft"), "own user lib sys 7");
    let map = world.sess.map.borrow();
    let kind = |end: &str| {
        map.files().find(|(_, file)| file.path.ends_with(end)).map(|(_, file)| file.kind)
    };
    assert_eq!(kind("user/a.h"), Some(FileKind::User));
    assert_eq!(kind("lib/b.h"), Some(FileKind::Library));
    assert_eq!(kind("sys/c.h"), Some(FileKind::Foreign));
}

#[test]
fn foreign_headers_see_the_hosts_headers_only() {
    let mut world = World::new(&[
        ("main.toft", "#include <net.h>\n#include <std.h>\n"),
        ("lib/std.h", "safe"),
        ("sys/std.h", "host"),
        ("sys/net.h", "net\n#include <std.h>\n#include \"bits/x.h\"\n"),
        ("sys/bits/x.h", "bits\n#include <std.h>"),
    ]);
    assert_eq!(world.run("main.toft"), "net host bits host safe");
}

#[test]
fn toft_headers_reach_the_hosts_by_include_next() {
    let mut world = World::new(&[
        ("main.toft", "#include <std.h>\n#if __has_include(<none.h>)\nno\n#endif\n"),
        ("lib/std.h", "safe\n#include_next <std.h>\n"),
        ("sys/std.h", "host\n#if __has_include_next(<std.h>)\nno\n#endif\n"),
    ]);
    assert_eq!(world.run("main.toft"), "safe host");
}

#[test]
fn one_file_under_two_names_is_one_file() {
    let mut world = World::new(&[
        ("main.toft", "#include \"x/../a.h\"\n#include \"./a.h\"\n#include \"a.h\"\n"),
        ("x/y.h", ""),
        ("a.h", "#pragma once\nonce\n"),
    ]);
    assert_eq!(world.run("main.toft"), "once");
}

#[test]
fn failures() {
    let mut world = World::new(&[
        (
            "main.toft",
            "#include \"none.h\"\n#include <sub>\n#include \"latin.h\"\n#include <latin.h>\n",
        ),
        ("user/sub/x.h", ""),
    ]);
    std::fs::write(world.dir.path().join("latin.h"), b"\xe9").expect("written");
    std::fs::create_dir_all(world.dir.path().join("sys")).expect("made");
    std::fs::write(world.dir.path().join("sys/latin.h"), b"/* \xe9 */ ok").expect("written");
    assert_eq!(world.run("main.toft"), "ok");
    let said: Vec<&str> = world.sess.take().iter().map(|d| d.code.id).collect();
    assert_eq!(said, ["E0105", "E0105", "E0002"]);
    let error = world.search.load_main(&world.sess, Path::new("/no/such.toft")).expect_err("none");
    assert_eq!(
        (error.code.id, error.message.as_str()),
        ("E0001", "there is no file /no/such.toft")
    );
}

#[test]
fn dates_are_right() {
    assert_eq!(civil(0), (1970, 1, 1));
    assert_eq!(civil(59), (1970, 3, 1));
    assert_eq!(civil(11_016), (2000, 2, 29));
    assert_eq!(civil(20_453), (2025, 12, 31));
    assert_eq!(define_line("F(x)=x+1", false), "#define F(x) x+1\n");
    assert_eq!(define_line("A", false), "#define A 1\n");
    assert_eq!(define_line("A", true), "#undef A\n");
}
