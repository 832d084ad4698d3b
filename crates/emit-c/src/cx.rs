//! The state of one emission: tables of what was named so far, and the sections of the file.

use crate::names::Namer;
use crate::types::Types;
use crate::{EmitOptions, helpers};
use std::fmt::Write;
use std::rc::Rc;
use toft_base::{FileId, FxHashMap, FxHashSet, Span, Symbol};
use toft_cir::{Line, Text, lit};
use toft_diag::{Diagnostic, Reported, Session, codes};
use toft_mir::{Decls, FinalProgram, FuncId, GlobalId};
use toft_ty::{GArg, Ty};

pub struct Cx<'a> {
    pub sess: &'a Session,
    pub decls: &'a Decls,
    pub program: &'a FinalProgram,
    pub options: &'a EmitOptions,
    pub names: Namer,
    pub types: Types,
    /// Names of the instances, in the order of the program's list.
    pub instances: Vec<Text>,
    pub instance_ids: FxHashMap<(FuncId, Vec<GArg>), usize>,
    pub externs: FxHashMap<FuncId, Rc<crate::externs::Extern>>,
    pub extern_texts: FxHashMap<String, String>,
    /// Symbols from outside: no local may hide one.
    pub border: FxHashSet<Text>,
    pub global_names: FxHashMap<GlobalId, Text>,
    pub global_tys: FxHashMap<GlobalId, Ty>,
    pub descs: crate::desc::Descs,
    pub files: Vec<String>,
    file_ids: FxHashMap<FileId, u32>,
    sites: u32,
    strings: u32,
    /// Sections of the file, in their order.
    pub out: Sections,
    pub failed: Option<Reported>,
}

#[derive(Default)]
pub struct Sections {
    /// Forward declarations of structs, types of functions.
    pub forward: String,
    pub types: String,
    pub prototypes: String,
    pub data: String,
    pub sites: String,
    pub tentative: String,
    pub globals: String,
    pub functions: String,
    pub entry: String,
}

impl<'a> Cx<'a> {
    pub fn new(
        sess: &'a Session,
        decls: &'a Decls,
        program: &'a FinalProgram,
        options: &'a EmitOptions,
    ) -> Self {
        let mut cx = Cx {
            sess,
            decls,
            program,
            options,
            names: Namer::default(),
            types: Types::default(),
            instances: Vec::new(),
            instance_ids: FxHashMap::default(),
            externs: FxHashMap::default(),
            extern_texts: FxHashMap::default(),
            border: FxHashSet::default(),
            global_names: FxHashMap::default(),
            global_tys: FxHashMap::default(),
            descs: Default::default(),
            files: Vec::new(),
            file_ids: FxHashMap::default(),
            sites: 0,
            strings: 0,
            out: Sections::default(),
            failed: None,
        };
        cx.name_instances();
        cx.name_globals();
        cx
    }

    /// Says that something cannot be compiled yet. The output is thrown away.
    pub fn unsupported(&mut self, span: Span, what: &str) {
        let diagnostic = Diagnostic::error(
            codes::E0900,
            format!("{what} is not supported yet"),
            span,
            "needed here",
        );
        self.fail(diagnostic);
    }

    pub fn fail(&mut self, diagnostic: Diagnostic) {
        let reported = self.sess.emit(diagnostic);
        self.failed.get_or_insert(reported);
    }

    pub fn limit(&mut self, span: Span, what: &str) {
        let diagnostic =
            Diagnostic::error(codes::E0901, what.to_string(), span, "too large to be compiled");
        self.fail(diagnostic);
    }

    fn file(&mut self, id: FileId) -> u32 {
        let (files, sess) = (&mut self.files, self.sess);
        *self.file_ids.entry(id).or_insert_with(|| {
            files.push(sess.map.borrow().file(id).name.clone());
            files.len() as u32 - 1
        })
    }

    pub fn line_of(&mut self, span: Span) -> Line {
        if span.is_none() || self.options.no_lines {
            return Line::default();
        }
        let loc = self.sess.map.borrow().loc(span);
        match loc {
            Some(loc) => Line { file: self.file(loc.file), line: loc.line },
            None => Line::default(),
        }
    }

    /// A site for a check at `span` in function `func`: its address.
    pub fn site(&mut self, span: Span, func: Symbol) -> Text {
        let loc = self.sess.map.borrow().loc(span);
        let (file, line, col) = match loc {
            Some(loc) => {
                let file = self.file(loc.file);
                (lit::string(self.files[file as usize].as_bytes()), loc.line, loc.col)
            }
            None => ("\"\"".to_string(), 0, 0),
        };
        let n = self.sites;
        self.sites += 1;
        let func = lit::string(func.as_str().as_bytes());
        let _ = writeln!(
            self.out.sites,
            "static const toft_site tx_s{n} = {{{file}, {line}, {col}, {func}}};"
        );
        format!("&tx_s{n}").into()
    }

    pub fn next_string(&mut self) -> u32 {
        self.strings += 1;
        self.strings - 1
    }

    pub fn raw_c(&mut self) -> Option<String> {
        if self.decls.raw_c.is_empty() {
            return None;
        }
        let mut out = String::new();
        for &(text, span) in &self.decls.raw_c {
            let line = self.line_of(span);
            if line.line != 0 {
                let name = lit::string(self.files[line.file as usize].as_bytes());
                let _ = writeln!(out, "#line {} {name}", line.line);
            }
            out.push_str(text.as_str());
            out.push('\n');
        }
        Some(out)
    }

    pub fn assemble(self) -> String {
        let s = &self.out;
        let sections = [
            &s.forward,
            &s.types,
            &s.sites,
            &s.prototypes,
            &s.tentative,
            &s.data,
            &s.globals,
            &s.functions,
            &s.entry,
        ];
        let size: usize = sections.iter().map(|text| text.len() + 1).sum();
        let mut out = String::with_capacity(size + helpers::TEXT.len() + 64);
        out.push_str("#include \"toft.h\"\n#include \"toft_lib.h\"\n\n");
        out.push_str(helpers::TEXT);
        for text in sections {
            if !text.is_empty() {
                out.push('\n');
                out.push_str(text);
            }
        }
        out
    }
}
