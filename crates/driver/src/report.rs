//! How diagnostics reach the user.

use crate::Format;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use toft_base::SourceMap;
use toft_diag::{Diagnostic, Session, Severity, render};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    pub format: Format,
    pub color: Color,
}

impl Report {
    fn colored(self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
            }
        }
    }

    /// Prints everything the session collected; people read stderr, tools stdout.
    pub fn show(self, sess: &Session) {
        let list = sess.take();
        let map = sess.map.borrow();
        self.show_list(&list, &map);
        let errors = sess.error_count();
        let warnings = list.iter().filter(|d| d.severity == Severity::Warning).count();
        if self.format == Format::Human && errors + warnings > 0 {
            self.line(&summary(
                errors,
                warnings,
                list.iter().filter(|d| d.severity == Severity::Error).count(),
            ));
        }
    }

    fn show_list(self, list: &[Diagnostic], map: &SourceMap) {
        if list.is_empty() && self.format != Format::Sarif {
            return;
        }
        let mut out = String::new();
        let look = render::Look { color: self.colored(), ..render::Look::default() };
        match self.format {
            Format::Human => {
                for diagnostic in list {
                    out.push_str(&render::terminal(diagnostic, map, look));
                }
                self.line(out.trim_end_matches('\n'));
                if !list.is_empty() {
                    self.line("");
                }
                return;
            }
            Format::Json => {
                for diagnostic in list {
                    out.push_str(&render::json(diagnostic, map));
                    out.push('\n');
                }
            }
            Format::Sarif => out = render::sarif(list, map),
        }
        // A closed pipe is the reader's choice.
        let _ = std::io::stdout().write_all(out.as_bytes());
    }

    fn line(self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// A diagnosis outside any session, after which nothing can be done.
    pub fn fatal(self, diagnostic: Diagnostic) -> ExitCode {
        self.show_list(&[diagnostic], &SourceMap::new());
        ExitCode::from(1)
    }
}

fn summary(errors: usize, warnings: usize, shown: usize) -> String {
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let parts: Vec<String> =
        [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
    let more = if errors > shown { format!(" ({shown} shown)") } else { String::new() };
    format!("toft: {}{more}", parts.join(", "))
}
