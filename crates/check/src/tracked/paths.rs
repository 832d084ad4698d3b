//! Unique paths: which places of a body can be followed, and their tree.
//!
//! In: a body. Out: the tree of paths, numbered so that what lies below a path follows it.
//! Needs: places whose steps fit their types. Keeps: nothing of the body.
//! Invariants: a path's parts are there all or none: a struct has a path for each tracked
//! part, what a pointer points at likewise once some place looks into it. Two paths never
//! name the same memory: only fields, variants, and the single element behind a unique
//! pointer are steps; elements of arrays and members of unions are not.

use super::scopes::Lends;
use toft_base::{BitSet, Idx, ids};
use toft_mir::*;
use toft_ty::{
    AdtDef, AdtKind, Aqual, Bounds, Folder, GArg, GenericParam, IntExpr, IntTy, Kind as GKind,
    PtrTy, Region as TyRegion, Subst, Ty, TyKind,
};

ids! {
    /// A unique path.
    pub struct Node = "path";
}

/// What a path holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A struct, tuple or variant: the state is that of its parts.
    Group,
    /// A datatype behind a pointer: its parts depend on the variant.
    Datatype,
    /// A tracked pointer; `Some` pointee: unique, to one element, which may be looked into.
    Pointer { unique: bool, nullable: bool },
    /// An array, union, or value of unknown type: one state for all of it.
    Opaque,
}

pub struct Path {
    pub parent: Option<Node>,
    pub root: LocalId,
    /// From the parent; meaningless for roots.
    pub step: Proj,
    pub ty: Ty,
    pub kind: Kind,
    /// One past the last path below.
    pub end: u32,
    /// No pointer is passed on the way from the variable.
    pub by_value: bool,
}

/// The paths of a body.
pub struct Paths {
    pub list: Vec<Path>,
    roots: Vec<Option<Node>>,
    /// Below what a parameter points at that is not consumed: whole when the call ends.
    pub guarded: Vec<Node>,
    /// By parameter: the function's type says it is consumed.
    pub consumes: u64,
}

/// No value is followed by more parts than this.
const MAX_PARTS: usize = 64;
/// Structs in structs in structs.
const MAX_DEPTH: u32 = 8;
/// No body has more paths than this; what would be further is a shared place.
const MAX_PATHS: usize = 1 << 20;

/// Types of places, with opened existentials replaced by stand-ins of like nature.
pub struct Types<'a> {
    pub decls: &'a Decls,
    pub generics: &'a [GenericParam],
}

impl Types<'_> {
    pub fn tracked(&self, ty: Ty) -> bool {
        toft_ty::tracked(&self.decls.tables, self.generics, ty)
    }

    pub fn place(&self, body: &Body<Built>, place: &Place) -> Option<Ty> {
        let mut ty = body.base_ty(self.decls, place.base)?;
        for step in &place.proj {
            ty = self.step(ty, step)?;
        }
        Some(ty)
    }

    /// The type after a step; `None` when it does not fit.
    pub fn step(&self, ty: Ty, step: &Proj) -> Option<Ty> {
        let tables = &self.decls.tables;
        match (step, *ty.kind()) {
            (Proj::Field(field), TyKind::Adt(id, args)) => {
                let def = tables.adts.get(id)?;
                let inner = def.fields.as_deref()?.get(*field as usize)?.ty;
                Some(Subst(&opened(def, args, &def.exists)).ty(inner))
            }
            (Proj::Field(field), TyKind::Variant(id, variant, args)) => {
                let def = tables.adts.get(id)?;
                let shape = def.variants.get(variant as usize)?;
                let inner = shape.fields.get(*field as usize)?.ty;
                Some(Subst(&opened(def, args, &shape.exists)).ty(inner))
            }
            _ => toft_mir::typing::step_ty(self.decls, ty, step),
        }
    }
}

/// Arguments of a definition, and stand-ins for what it hides.
fn opened(def: &AdtDef, args: &[GArg], exists: &[GenericParam]) -> Vec<GArg> {
    let own = def.generics.len();
    let hidden = exists.iter().map(|param| {
        let aliasable = param.bound == Aqual::Aliasable;
        match param.kind {
            GKind::Any | GKind::Word if aliasable => GArg::Ty(Ty::int(IntTy::ULong)),
            GKind::Any | GKind::Word => GArg::Ty(Ty::ptr(PtrTy {
                aqual: Aqual::Top,
                ..PtrTy::thin(Ty::void(), TyRegion::Heap)
            })),
            GKind::Region => GArg::Region(TyRegion::Heap),
            GKind::Effect => GArg::Effect(&[]),
            GKind::Int => GArg::Int(IntExpr::Unknown),
            GKind::Aqual if aliasable => GArg::Aqual(Aqual::Aliasable),
            GKind::Aqual => GArg::Aqual(Aqual::Top),
        }
    });
    args.iter().copied().take(own).chain(hidden).collect()
}

/// A place, as far as it is a path.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub node: Node,
    /// The place is the path itself; otherwise it is reached through it.
    pub exact: bool,
}

impl Paths {
    /// The paths of a body whose places may be tracked; `taken`: variables whose address is.
    pub fn new(body: &Body<Built>, types: &Types<'_>, taken: &BitSet, lends: &Lends) -> Paths {
        let mut build = Build { types, list: Vec::new(), roots: vec![None; body.locals.len()] };
        for (id, decl) in body.locals.iter_enumerated() {
            if !taken.contains(id.index())
                && !matches!(decl.ty.kind(), TyKind::Vla(_))
                && types.tracked(decl.ty)
            {
                build.root(id, decl.ty);
            }
        }
        for block in body.blocks.iter() {
            for stmt in &block.stmts {
                visit::stmt_visit(&stmt.kind, &mut |what| build.mention(what));
                build.freed(&stmt.kind);
            }
            visit::term_visit(&block.term.kind, &mut |what| build.mention(what));
        }
        lends.each(&mut |to| {
            build.intern(to);
        });
        let consumes = types.decls.funcs.get(body.id).map_or(0, |decl| decl.sig.consumes);
        build.number(body.params, consumes)
    }

    pub fn root(&self, local: LocalId) -> Option<Node> {
        self.roots.get(local.index()).copied().flatten()
    }

    pub fn get(&self, node: Node) -> &Path {
        &self.list[node.index()]
    }

    /// The path and all below it.
    pub fn subtree(&self, node: Node) -> std::ops::Range<usize> {
        node.index()..self.get(node).end as usize
    }

    pub fn children(&self, node: Node) -> Children<'_> {
        Children { paths: self, next: node.0 + 1, end: self.get(node).end }
    }

    pub fn child(&self, node: Node, step: &Proj) -> Option<Node> {
        self.children(node).find(|&child| self.get(child).step == *step)
    }

    /// What a pointer's path points at.
    pub fn behind(&self, node: Node) -> Option<Node> {
        match self.get(node).kind {
            Kind::Pointer { .. } => self.children(node).next(),
            _ => None,
        }
    }

    /// The deepest path on the way to a place.
    pub fn find(&self, place: &Place) -> Option<Found> {
        let Base::Local(local) = place.base else { return None };
        let mut node = self.root(local)?;
        for step in &place.proj {
            if is_itself(self.get(node).ty, step) {
                continue;
            }
            match self.child(node, step) {
                Some(child) => node = child,
                None => return Some(Found { node, exact: false }),
            }
        }
        Some(Found { node, exact: true })
    }

    /// The paths that hold what a value at `node` is made of, without passing pointers.
    pub fn parts(&self, node: Node, visit: &mut dyn FnMut(Node)) {
        match self.get(node).kind {
            Kind::Group | Kind::Datatype => {
                for child in self.children(node) {
                    self.parts(child, visit);
                }
            }
            Kind::Pointer { .. } | Kind::Opaque => visit(node),
        }
    }

    pub fn overlap(&self, a: Node, b: Node) -> bool {
        self.subtree(a).contains(&b.index()) || self.subtree(b).contains(&a.index())
    }

    /// Steps from the variable.
    pub fn depth(&self, node: Node) -> usize {
        let mut depth = 0;
        let mut at = self.get(node).parent;
        while let Some(parent) = at {
            depth += 1;
            at = self.get(parent).parent;
        }
        depth
    }

    /// A parameter that the caller keeps.
    pub fn kept(&self, node: Node, params: usize) -> bool {
        let local = self.get(node).root.index();
        local < params && (local >= 64 || self.consumes >> local & 1 == 0)
    }
}

/// A value of a variant's own type is seen as that variant.
fn is_itself(ty: Ty, step: &Proj) -> bool {
    matches!((step, *ty.kind()), (Proj::Variant(id, n), TyKind::Variant(adt, m, _))
        if *id == adt && *n == m)
}

pub struct Children<'a> {
    paths: &'a Paths,
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = Node;
    fn next(&mut self) -> Option<Node> {
        (self.next < self.end).then(|| {
            let node = Node(self.next);
            self.next = self.paths.get(node).end;
            node
        })
    }
}

/// The tree as it grows.
struct Build<'a> {
    types: &'a Types<'a>,
    list: Vec<Sprout>,
    roots: Vec<Option<u32>>,
}

struct Sprout {
    parent: Option<u32>,
    step: Proj,
    ty: Ty,
    kind: Kind,
    children: Vec<u32>,
}

impl Build<'_> {
    fn root(&mut self, local: LocalId, ty: Ty) {
        let mut budget = MAX_PARTS;
        let node = self.grow(None, Proj::Field(0), ty, &mut budget, 0);
        self.roots[local.index()] = Some(node);
    }

    /// A path and the parts of its value.
    fn grow(
        &mut self,
        parent: Option<u32>,
        step: Proj,
        ty: Ty,
        budget: &mut usize,
        depth: u32,
    ) -> u32 {
        let kind = self.kind(ty, depth);
        let id = self.list.len() as u32;
        self.list.push(Sprout { parent, step, ty, kind, children: Vec::new() });
        if kind == Kind::Group {
            let parts = self.tracked_fields(ty);
            if parts.len() > *budget {
                self.list[id as usize].kind = Kind::Opaque;
                return id;
            }
            *budget -= parts.len();
            for (field, ty) in parts {
                let child = self.grow(Some(id), Proj::Field(field), ty, budget, depth + 1);
                self.list[id as usize].children.push(child);
            }
        }
        id
    }

    fn kind(&self, ty: Ty, depth: u32) -> Kind {
        match *ty.kind() {
            TyKind::Ptr(ptr) => {
                let single = matches!(ptr.bounds, Bounds::Thin(IntExpr::Const(1)));
                let unique = ptr.aqual == Aqual::Unique && single && !ptr.zeroterm && !ptr.foreign;
                Kind::Pointer { unique, nullable: ptr.nullable }
            }
            TyKind::Tuple(_) | TyKind::Variant(..) if depth < MAX_DEPTH => Kind::Group,
            TyKind::Adt(id, _) => match self.types.decls.tables.adts[id].kind {
                AdtKind::Struct if depth < MAX_DEPTH => Kind::Group,
                AdtKind::Datatype | AdtKind::OpenDatatype => Kind::Datatype,
                _ => Kind::Opaque,
            },
            _ => Kind::Opaque,
        }
    }

    fn tracked_fields(&self, ty: Ty) -> Vec<(u32, Ty)> {
        let count = match *ty.kind() {
            TyKind::Tuple(list) => list.len(),
            TyKind::Adt(id, _) => {
                self.types.decls.tables.adts[id].fields.as_deref().map_or(0, <[_]>::len)
            }
            TyKind::Variant(id, variant, _) => {
                self.types.decls.tables.variant(id, variant).map_or(0, |v| v.fields.len())
            }
            _ => 0,
        };
        let field = |n: u32| Some((n, self.types.step(ty, &Proj::Field(n))?));
        (0..count as u32).filter_map(field).filter(|&(_, ty)| self.types.tracked(ty)).collect()
    }

    fn mention(&mut self, what: visit::Visit<'_>) {
        if let visit::Visit::Place(place, _) = what
            && place.proj.iter().any(|step| matches!(step, Proj::Deref(_) | Proj::Variant(..)))
        {
            self.intern(place);
        }
    }

    /// What is freed is looked into: its parts must be gone by then.
    fn freed(&mut self, stmt: &StmtKind) {
        let place = match stmt {
            StmtKind::Consume(place) => Some(place),
            StmtKind::Call(call) => super::calls::freed(call).and_then(Operand::place),
            _ => None,
        };
        if let Some(place) = place
            && let Some(node) = self.intern(place)
        {
            self.step(node, &Proj::Deref(Index::Const(0)));
        }
    }

    /// The path of a place, made if need be; `None` when it is none.
    fn intern(&mut self, place: &Place) -> Option<u32> {
        let Base::Local(local) = place.base else { return None };
        let mut node = self.roots.get(local.index()).copied().flatten()?;
        for step in &place.proj {
            if !is_itself(self.list[node as usize].ty, step) {
                node = self.step(node, step)?;
            }
        }
        Some(node)
    }

    fn step(&mut self, node: u32, step: &Proj) -> Option<u32> {
        let sprout = &self.list[node as usize];
        if let Some(&child) =
            sprout.children.iter().find(|&&child| self.list[child as usize].step == *step)
        {
            return Some(child);
        }
        let steps = matches!(
            (step, sprout.kind),
            (Proj::Deref(Index::Const(0)), Kind::Pointer { unique: true, .. })
                | (Proj::Variant(..), Kind::Datatype)
        );
        if !steps || self.list.len() > MAX_PATHS {
            return None;
        }
        let ty = self.types.step(sprout.ty, step)?;
        if !self.types.tracked(ty) {
            return None;
        }
        let child = self.grow(Some(node), *step, ty, &mut { MAX_PARTS }, 0);
        self.list[node as usize].children.push(child);
        Some(child)
    }

    /// Numbers the tree, parents first.
    fn number(self, params: usize, consumes: u64) -> Paths {
        let mut paths =
            Paths { list: Vec::new(), roots: Vec::new(), guarded: Vec::new(), consumes };
        for (n, &root) in self.roots.iter().enumerate() {
            if let Some(root) = root {
                self.place(&mut paths, root, None, LocalId::from_usize(n), true);
            }
            paths.roots.push(root.map(|_| Node(0)));
        }
        // Roots come in the order of the variables.
        let mut next = 0u32;
        for root in paths.roots.iter_mut().flatten() {
            *root = Node(next);
            next = paths.list[next as usize].end;
        }
        for n in 0..paths.list.len() {
            let node = Node::from_usize(n);
            if !paths.get(node).by_value && paths.kept(node, params) {
                paths.guarded.push(node);
            }
        }
        paths
    }

    fn place(
        &self,
        paths: &mut Paths,
        id: u32,
        parent: Option<Node>,
        root: LocalId,
        by_value: bool,
    ) {
        let sprout = &self.list[id as usize];
        let node = Node::from_usize(paths.list.len());
        let step = sprout.step;
        let by_value = by_value && !(sprout.parent.is_some() && matches!(step, Proj::Deref(_)));
        let (ty, kind) = (sprout.ty, sprout.kind);
        paths.list.push(Path { parent, root, step, ty, kind, end: 0, by_value });
        for &child in &sprout.children {
            self.place(paths, child, Some(node), root, by_value);
        }
        paths.list[node.index()].end = paths.list.len() as u32;
    }
}
