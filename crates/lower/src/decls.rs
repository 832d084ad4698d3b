//! Declarations: what bodies refer to.

use toft_diag::Session;
use toft_hir::{Func, Global, Linkage, Origin, Program};
use toft_mir::{Decls, FuncDecl, GlobalDecl};
use toft_ty::{Tables, TyKind};

/// The declarations of the whole program. The type tables are copied, since `infer` goes on
/// reading those of the HIR while bodies are lowered one by one. Initialisers of globals
/// come later, by [`crate::add_global_init`].
pub fn decls(_sess: &Session, program: &Program) -> Decls {
    let tables = Tables {
        adts: program.tables.adts.clone(),
        enums: program.tables.enums.clone(),
        refines: program.tables.refines.clone(),
        ..Tables::default()
    };
    Decls {
        tables,
        funcs: program.funcs.iter().map(func).collect(),
        globals: program.globals.iter().map(global).collect(),
        raw_c: program.raw_c.iter().map(|raw| (raw.text, raw.span)).collect(),
        main: program.main,
        tests: program.tests.clone(),
        exn: program.exn,
    }
}

fn func(func: &Func) -> FuncDecl {
    let external = func.body.is_none();
    let foreign = external && func.origin != Origin::Toft;
    FuncDecl {
        name: func.name,
        link_name: func.link_name.or(foreign.then_some(func.name)),
        span: func.span,
        sig: func.sig.clone(),
        generics: func.generics.clone(),
        external,
        // Host functions do not throw, but what they call back may.
        may_throw: !foreign || func.sig.params.iter().any(|ty| calls_back(*ty.kind())),
        is_inline: func.is_inline,
        is_static: matches!(func.linkage, Linkage::Internal(_)),
    }
}

fn calls_back(kind: TyKind) -> bool {
    matches!(kind, TyKind::Ptr(ptr) if ptr.elem.as_func().is_some())
}

fn global(global: &Global) -> GlobalDecl {
    let external = !global.defined;
    let foreign = external && global.origin != Origin::Toft;
    GlobalDecl {
        name: global.name,
        link_name: global.link_name.or(foreign.then_some(global.name)),
        span: global.span,
        ty: global.ty,
        quals: global.quals,
        thread_local: global.thread_local,
        align: global.align,
        external,
        is_static: matches!(global.linkage, Linkage::Internal(_)),
        init: None,
    }
}
