//! Where the program starts: `main`, or the runner of tests.

use crate::Entry;
use crate::cx::Cx;
use crate::types::{Class, class};
use std::fmt::Write;
use toft_cir::lit;
use toft_ty::Ty;

/// Runs each test in a process of its own, so that whatever stops one test stops only that
/// one, and its message and backtrace are those of a program. Arguments choose tests by parts
/// of their names.
const RUNNER: &str = r#"extern int tx_fork(void) __asm__("fork");
extern int tx_waitpid(int, int *, int) __asm__("waitpid");
extern void tx_exit(int) __asm__("exit");
extern int tx_fflush(void *) __asm__("fflush");
extern int tx_printf(const char *, ...) __asm__("printf");
extern char *tx_strstr(const char *, const char *) __asm__("strstr");

static int toft_run_test(void (*run)(void)) {
  int status = 0;
  tx_fflush(0);
  int child = tx_fork();
  if (child == 0) {
    run();
    tx_exit(0);
  }
  return child > 0 && tx_waitpid(child, &status, 0) == child && status == 0;
}
static int toft_entry(int argc, char **argv) {
  int passed = 0, failed = 0, skipped = 0;
  for (uint64_t k = 0; k < tx_test_count; k++) {
    bool wanted = argc <= 1;
    for (int a = 1; a < argc; a++)
      if (tx_strstr(tx_tests[k].name, argv[a])) wanted = true;
    if (!wanted) {
      skipped++;
      continue;
    }
    tx_printf("test %s ... ", tx_tests[k].name);
    if (toft_run_test(tx_tests[k].run)) {
      tx_printf("ok\n");
      passed++;
    } else {
      tx_printf("FAILED\n");
      failed++;
    }
  }
  tx_printf("\ntest result: %s. %d passed; %d failed; %d filtered out\n",
            failed ? "FAILED" : "ok", passed, failed, skipped);
  tx_fflush(0);
  return failed != 0;
}
"#;

impl Cx<'_> {
    pub fn entry(&mut self) {
        let roots = self.roots();
        match self.options.entry {
            Entry::Main => self.user_main(),
            Entry::Tests => self.tests(),
            Entry::None => return,
        }
        let classes = self.descs.classes();
        let table = if roots == 0 { "0" } else { "tx_roots" };
        if self.options.no_gc {
            self.out.entry.push_str("#define TOFT_PROGRAM_FLAGS TOFT_PROGRAM_NO_GC\n");
        }
        let _ = writeln!(
            self.out.entry,
            "TOFT_PROGRAM(toft_entry, {classes}, {table}, {roots}, toft_signals_init)"
        );
    }

    fn user_main(&mut self) {
        let Some(main) = self.decls.main else { return };
        let found = self.program.list.iter().position(|(instance, _)| instance.func == main);
        let Some(n) = found else { return };
        let body = &self.program.list[n].1;
        let params: Vec<Ty> = body.locals.iter().take(body.params).map(|l| l.ty).collect();
        let name = self.instances[n].clone();
        let span = self.decls.funcs[main].span;
        let mut code = String::new();
        let mut args = Vec::new();
        if let Some(&count) = params.first() {
            let text = self.cty(count);
            args.push(format!("({text})argc"));
        }
        match params.get(1).map(|&ty| (class(ty), ty)) {
            None => {}
            Some((Class::Fat, ty)) => {
                let elem = self.elem(ty);
                if class(elem) == Class::Fat {
                    // `char ? ? argv`: each argument gets its bounds.
                    code.push_str(
                        "  toft_fat *list = __builtin_alloca(((size_t)argc + 1) * sizeof *list);\n  \
                         for (int k = 0; k < argc; k++) list[k] = toft_zt_fat(argv[k]);\n  \
                         list[argc] = (toft_fat){0};\n",
                    );
                    args.push(format!("toft_fat_of(list, (uint64_t)argc + {})", last(elem)));
                } else {
                    args.push(format!("toft_fat_of(argv, (uint64_t)argc + {})", last(elem)));
                }
            }
            Some((Class::Pointer, ty)) => {
                let text = self.cty(ty);
                args.push(format!("({text})argv"));
            }
            Some(_) => self.unsupported(span, "this type of `main`"),
        }
        if params.len() > 2 {
            self.unsupported(span, "a third parameter of `main`");
        }
        let call = format!("{name}({})", args.join(", "));
        let tail = if body.ret.is_void() {
            format!("  {call};\n  return 0;\n")
        } else {
            format!("  return (int){call};\n")
        };
        let _ = writeln!(
            self.out.entry,
            "static int toft_entry(int argc, char **argv) {{\n  (void)argc; (void)argv;\n{code}{tail}}}"
        );
    }

    fn elem(&self, ty: Ty) -> Ty {
        ty.as_ptr().map_or(ty, |ptr| ptr.elem)
    }

    fn tests(&mut self) {
        let mut rows = String::new();
        let mut count = 0;
        for &(name, id) in &self.decls.tests {
            if let Some(function) = self.instance(id, &[]) {
                let name = lit::string(name.as_str().as_bytes());
                let _ = write!(rows, "\n  {{{name}, {function}}},");
                count += 1;
            }
        }
        if count == 0 {
            rows.push_str("\n  {\"\", 0}");
        }
        let _ = writeln!(
            self.out.entry,
            "static const struct {{ const char *name; void (*run)(void); }} tx_tests[] = {{{rows}\n}};"
        );
        let _ = writeln!(self.out.entry, "static const uint64_t tx_test_count = {count};");
        self.out.entry.push_str(RUNNER);
    }
}

/// `argv[argc]` is the null pointer, where the type of an argument has one.
fn last(elem: Ty) -> u32 {
    u32::from(elem.as_ptr().is_some_and(|ptr| ptr.nullable))
}
