//! Specialisation: the instances of functions a program needs.
//!
//! In: checked bodies (generic or not), the declarations, the roots. Out: concrete bodies,
//! globals and externals that the roots reach.
//! Needs: bodies that `check` certified. Keeps: control flow, facts, spans, variables.
//! Invariants: every type in the result is concrete (no parameters, regions erased);
//! `Sizeof` and `Alignof` are numbers; the order depends on the program alone, roots first.
//!
//! An opened existential is held as one word ([`toft_ty::concrete::word`]).

mod limit;
mod no_gc;
mod reach;
mod types;

use limit::Chain;
use toft_base::{FxHashMap, FxHashSet, IndexVec, Span};
use toft_diag::{Diagnostic, Reported, Session, codes};
use toft_mir::{Body, CheckedBodies, Concrete, Decls, FuncId, GlobalId, Instance, Instances};
use toft_ty::{GArg, Kind};

/// Where reachability starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Roots {
    /// `main` and what the user exports to C.
    Program,
    /// The `test` blocks and what the user exports to C.
    Tests,
    /// Every function the user defines that needs no type arguments.
    Library,
}

/// Collects the instances reachable from `roots`.
pub fn run(
    sess: &Session,
    decls: &Decls,
    bodies: &CheckedBodies,
    roots: Roots,
) -> Result<Instances<Concrete>, Reported> {
    let mut work = Work::new(sess, decls, bodies);
    work.roots(roots);
    work.close()?;
    if sess.options.no_gc {
        work.no_gc()?;
    }
    Ok(work.finish())
}

pub(crate) struct Work<'a> {
    pub sess: &'a Session,
    pub decls: &'a Decls,
    bodies: &'a CheckedBodies,
    ids: FxHashMap<Instance, usize>,
    list: Vec<(Instance, Option<Body<Concrete>>)>,
    chain: Chain,
    globals: FxHashSet<GlobalId>,
    externals: FxHashSet<FuncId>,
    /// Which integer parameters of a function decide the size of something in it.
    int_params: IndexVec<FuncId, Option<bool>>,
    /// The first error met; work goes on to find others, up to a limit.
    failed: Option<Reported>,
}

impl<'a> Work<'a> {
    fn new(sess: &'a Session, decls: &'a Decls, bodies: &'a CheckedBodies) -> Self {
        Work {
            sess,
            decls,
            bodies,
            ids: FxHashMap::default(),
            list: Vec::new(),
            chain: Chain::default(),
            globals: FxHashSet::default(),
            externals: FxHashSet::default(),
            int_params: decls.funcs.iter().map(|_| None).collect(),
            failed: None,
        }
    }

    fn roots(&mut self, roots: Roots) {
        match roots {
            Roots::Program => {
                if let Some(main) = self.decls.main {
                    self.root(main);
                }
            }
            Roots::Tests => {
                for &(_, test) in &self.decls.tests {
                    self.root(test);
                }
            }
            Roots::Library => {}
        }
        for id in self.decls.funcs.ids() {
            let func = &self.decls.funcs[id];
            let exported = func.link_name.is_some() && !func.is_static;
            let wanted = exported || roots == Roots::Library;
            if wanted && self.has_body(id) && self.is_users(func.span) && self.is_plain(id) {
                self.root(id);
            }
        }
    }

    /// Needs no type arguments.
    fn is_plain(&self, id: FuncId) -> bool {
        let generics = &self.decls.funcs[id].generics;
        generics.iter().all(|param| !matches!(param.kind, Kind::Any | Kind::Word))
    }

    fn is_users(&self, span: Span) -> bool {
        self.sess.map.borrow().kind_of(span) == toft_base::FileKind::User
    }

    fn has_body(&self, id: FuncId) -> bool {
        self.bodies.get(id).is_some_and(Option::is_some)
    }

    fn root(&mut self, id: FuncId) {
        let args: Vec<GArg> = self.decls.funcs[id].generics.iter().map(types::erased_arg).collect();
        self.function(id, &args, None);
    }

    /// Takes note that a function is used and gives the arguments in their final form.
    pub fn function(
        &mut self,
        id: FuncId,
        args: &[GArg],
        from: Option<(usize, Span)>,
    ) -> Vec<GArg> {
        if !self.has_body(id) {
            self.externals.insert(id);
            return Vec::new();
        }
        let args = self.key(id, args);
        let instance = Instance { func: id, args };
        if let Some(&old) = self.ids.get(&instance) {
            return self.list[old].0.args.clone();
        }
        let args = instance.args.clone();
        if let Err(reported) = self.chain.admit(self.sess, self.decls, &instance, from) {
            self.failed.get_or_insert(reported);
            return args;
        }
        self.ids.insert(instance.clone(), self.list.len());
        self.list.push((instance, None));
        args
    }

    /// Erases from concrete arguments what does not change the code.
    fn key(&mut self, id: FuncId, args: &[GArg]) -> Vec<GArg> {
        let generics = &self.decls.funcs[id].generics;
        let sized = generics.iter().any(|param| param.kind == Kind::Int) && self.sized_by_int(id);
        let mut key: Vec<GArg> = args.to_vec();
        for (n, param) in generics.iter().enumerate() {
            let erased = types::erased_arg(param);
            match key.get_mut(n) {
                Some(arg) => match arg {
                    GArg::Int(_) if !sized => *arg = erased,
                    _ => {}
                },
                None => key.push(erased),
            }
        }
        key.truncate(generics.len());
        key
    }

    fn sized_by_int(&mut self, id: FuncId) -> bool {
        if let Some(known) = self.int_params[id] {
            return known;
        }
        let found = match self.bodies.get(id) {
            Some(Some(body)) => types::sized_by_int(body),
            _ => false,
        };
        self.int_params[id] = Some(found);
        found
    }

    fn close(&mut self) -> Result<(), Reported> {
        let mut next = 0;
        while next < self.list.len() {
            let instance = self.list[next].0.clone();
            if let Some(Some(body)) = self.bodies.get(instance.func) {
                let body = self.instantiate(next, body, &instance.args);
                self.list[next].1 = Some(body);
            }
            next += 1;
        }
        self.failed.map_or(Ok(()), Err)
    }

    pub fn global(&mut self, id: GlobalId) -> bool {
        self.globals.insert(id)
    }

    pub fn fail(&mut self, diagnostic: Diagnostic) {
        let reported = self.sess.emit(diagnostic);
        self.failed.get_or_insert(reported);
    }

    fn finish(self) -> Instances<Concrete> {
        let mut globals: Vec<GlobalId> = self.globals.into_iter().collect();
        globals.sort_unstable();
        let mut externals: Vec<FuncId> = self.externals.into_iter().collect();
        externals.sort_unstable();
        let list = self.list.into_iter().filter_map(|(key, body)| Some((key, body?))).collect();
        Instances { list, globals, externals }
    }
}

/// The size or alignment of a type was asked for and has none.
pub(crate) fn no_layout(span: Span, error: toft_ty::LayoutError) -> Diagnostic {
    use toft_ty::LayoutError::*;
    let why = match error {
        TooLarge => "the type is larger than a program's memory can be",
        Infinite => "the type contains itself",
        Incomplete => "the contents of the type are not known",
        Generic | NotAnObject => "the type has no size",
    };
    Diagnostic::error(codes::E0901, "the size of a type cannot be computed", span, why)
}
