//! Types, declarators and attributes.

use super::Dump;
use crate::{
    AlignSpec, Aqual, AqualName, ArrayDecl, Attr, AttrArg, Constraint, ContractKind, Declarator,
    Derived, Effect, FuncDecl, Kind, Param, PtrAttr, PtrDecl, PtrSign, Quals, Storage,
    StorageClass, TyVar, TypeArg, TypeName, TypeSpec, TypeSpecKind, VarargDecl,
};

fn aqual_text(name: AqualName) -> &'static str {
    match name {
        AqualName::Aliasable => "\\A",
        AqualName::Unique => "\\U",
        AqualName::Counted => "\\RC",
        AqualName::Top => "\\T",
    }
}

impl Dump {
    pub(super) fn type_name(&mut self, ty: &TypeName) {
        self.full_type(&ty.spec, &ty.declarator);
    }

    /// The whole type of a declarator: what is nearest to the name comes first.
    pub(super) fn full_type(&mut self, spec: &TypeSpec, declarator: &Declarator) {
        for derived in &declarator.derived {
            match derived {
                Derived::Pointer(pointer) => self.pointer(pointer),
                Derived::Array(array) => self.array(array),
                Derived::Function(function) => self.function(function),
            }
            self.put(" ");
        }
        self.spec(spec);
        for _ in &declarator.derived {
            self.put(")");
        }
        self.attrs(&declarator.attrs);
    }

    fn pointer(&mut self, pointer: &PtrDecl) {
        self.put(match pointer.kind {
            PtrSign::Star => "(*",
            PtrSign::At => "(@",
            PtrSign::Question => "(?",
        });
        for (attr, _) in &pointer.attrs {
            self.put(" ");
            match attr {
                PtrAttr::NotNull => self.put("@notnull"),
                PtrAttr::Nullable => self.put("@nullable"),
                PtrAttr::Fat => self.put("@fat"),
                PtrAttr::Thin => self.put("@thin"),
                PtrAttr::Numelts(count) => {
                    self.put("{");
                    self.expr(count);
                    self.put("}");
                }
                PtrAttr::Zeroterm => self.put("@zeroterm"),
                PtrAttr::Nozeroterm => self.put("@nozeroterm"),
                PtrAttr::Region(var) => self.tyvar(var),
                PtrAttr::RegionArg(arg) => self.type_arg(arg),
                PtrAttr::Aqual(aqual) => self.aqual(aqual),
            }
        }
        self.quals(pointer.quals);
    }

    /// Qualifiers, each after a space.
    fn quals(&mut self, quals: Quals) {
        for (set, text) in [
            (quals.is_const, " const"),
            (quals.is_volatile, " volatile"),
            (quals.is_restrict, " restrict"),
            (quals.is_atomic, " _Atomic"),
        ] {
            if set {
                self.put(text);
            }
        }
    }

    fn array(&mut self, array: &ArrayDecl) {
        self.put("(array");
        if array.is_static {
            self.put(" static");
        }
        self.quals(array.quals);
        match array.zeroterm {
            Some(true) => self.put(" @zeroterm"),
            Some(false) => self.put(" @nozeroterm"),
            None => {}
        }
        if array.star {
            self.put(" *");
        }
        if let Some(size) = &array.size {
            self.put(" ");
            self.expr(size);
        }
    }

    fn function(&mut self, function: &FuncDecl) {
        self.put("(func");
        self.tyvars(&function.ty_params);
        self.list((" (", ", ", ""), &function.params, Self::param);
        match &function.varargs {
            VarargDecl::None => {}
            VarargDecl::C(_) => self.put(" ..."),
            VarargDecl::Typed { ty, name, inject, .. } => {
                self.put(if *inject { " ...inject " } else { " ... " });
                if let Some(name) = name {
                    self.ident(name);
                    self.put(": ");
                }
                self.type_name(ty);
            }
        }
        self.put(if function.unspecified { "unspecified)" } else { ")" });
        if let Some(effect) = &function.effect {
            self.put(" effect ");
            self.effect(effect);
        }
        self.constraints(&function.constraints);
        for contract in &function.contracts {
            self.put(match contract.kind {
                ContractKind::Requires => " @requires ",
                ContractKind::Ensures => " @ensures ",
            });
            self.expr(&contract.cond);
        }
        self.attrs(&function.attrs);
    }

    pub(super) fn param(&mut self, param: &Param) {
        self.storage(&param.storage);
        if let Some(name) = &param.declarator.name {
            self.path(name);
            self.put(": ");
        }
        self.full_type(&param.spec, &param.declarator);
        self.attrs(&param.attrs);
    }

    pub(super) fn storage(&mut self, storage: &Storage) {
        let class = match storage.class {
            StorageClass::None => "",
            StorageClass::Typedef => "typedef ",
            StorageClass::Extern => "extern ",
            StorageClass::Static => "static ",
            StorageClass::Auto => "auto ",
            StorageClass::Register => "register ",
        };
        self.put(class);
        for (set, text) in [
            (storage.is_inline, "inline "),
            (storage.is_noreturn, "noreturn "),
            (storage.is_thread_local, "thread_local "),
            (storage.is_constexpr, "constexpr "),
            (storage.is_abstract, "abstract "),
            (storage.is_shared, "shared "),
        ] {
            if set {
                self.put(text);
            }
        }
    }

    pub(super) fn attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            self.put_fmt(format_args!(" [[{}", attr.name));
            if !attr.args.is_empty() {
                self.list(("(", ", ", ")"), &attr.args, |dump, arg| match arg {
                    AttrArg::Ident(ident) => dump.ident(ident),
                    AttrArg::Expr(expr) => dump.expr(expr),
                });
            }
            self.put("]]");
        }
    }

    pub(super) fn tyvar(&mut self, var: &TyVar) {
        self.put_fmt(format_args!("'{}", var.name));
        if let Some(kind) = var.kind {
            self.put(match kind {
                Kind::Any => "::A",
                Kind::Word => "::B",
                Kind::Region => "::R",
                Kind::Effect => "::E",
                Kind::Int => "::I",
                Kind::Aqual => "::Q",
            });
        }
        if let Some(bound) = var.bound {
            self.put(aqual_text(bound));
        }
    }

    /// `<'a 'b>`, or nothing.
    pub(super) fn tyvars(&mut self, vars: &[TyVar]) {
        if !vars.is_empty() {
            self.list(("<", ", ", ">"), vars, Self::tyvar);
        }
    }

    fn aqual(&mut self, aqual: &Aqual) {
        match aqual {
            Aqual::Name(name, _) => self.put(aqual_text(*name)),
            Aqual::Var(var) => {
                self.put("@aqual ");
                self.tyvar(var);
            }
        }
    }

    fn effect(&mut self, effect: &Effect) {
        self.list(("{", ", ", "}"), &effect.vars, Self::tyvar);
    }

    pub(super) fn constraints(&mut self, list: &[Constraint]) {
        for constraint in list {
            match constraint {
                Constraint::Outlives(longer, shorter) => {
                    self.put(" where ");
                    self.effect(longer);
                    self.put(" > ");
                    self.tyvar(shorter);
                }
                Constraint::Single(var) => {
                    self.put(" where single ");
                    self.tyvar(var);
                }
            }
        }
    }

    pub(super) fn type_args(&mut self, args: &[TypeArg]) {
        if !args.is_empty() {
            self.list(("<", ", ", ">"), args, Self::type_arg);
        }
    }

    fn type_arg(&mut self, arg: &TypeArg) {
        match arg {
            TypeArg::Type(ty) => self.type_name(ty),
            TypeArg::Aqual(aqual) => self.aqual(aqual),
            TypeArg::Int(value) => {
                self.put("int ");
                self.expr(value);
            }
            TypeArg::Effect(effect) => self.effect(effect),
        }
    }

    pub(super) fn spec(&mut self, spec: &TypeSpec) {
        for align in &spec.align {
            self.put("(alignas ");
            match align {
                AlignSpec::Type(ty) => self.type_name(ty),
                AlignSpec::Expr(value) => self.expr(value),
            }
            self.put(") ");
        }
        for (set, text) in [
            (spec.quals.is_const, "const "),
            (spec.quals.is_volatile, "volatile "),
            (spec.quals.is_restrict, "restrict "),
            (spec.quals.is_atomic, "_Atomic "),
        ] {
            if set {
                self.put(text);
            }
        }
        self.spec_kind(&spec.kind);
    }

    fn spec_kind(&mut self, kind: &TypeSpecKind) {
        let text = match kind {
            TypeSpecKind::Void => "void",
            TypeSpecKind::Bool => "bool",
            TypeSpecKind::Char => "char",
            TypeSpecKind::SChar => "signed char",
            TypeSpecKind::UChar => "unsigned char",
            TypeSpecKind::Short => "short",
            TypeSpecKind::UShort => "unsigned short",
            TypeSpecKind::Int => "int",
            TypeSpecKind::UInt => "unsigned",
            TypeSpecKind::Long => "long",
            TypeSpecKind::ULong => "unsigned long",
            TypeSpecKind::LLong => "long long",
            TypeSpecKind::ULLong => "unsigned long long",
            TypeSpecKind::Int128 => "__int128",
            TypeSpecKind::UInt128 => "unsigned __int128",
            TypeSpecKind::Float => "float",
            TypeSpecKind::Double => "double",
            TypeSpecKind::LongDouble => "long double",
            TypeSpecKind::FloatN(name) => name.as_str(),
            TypeSpecKind::Complex => "_Complex",
            TypeSpecKind::VaList => "va_list",
            TypeSpecKind::Auto => "auto",
            TypeSpecKind::Error => "<error>",
            _ => return self.compound_kind(kind),
        };
        self.put(text);
    }

    fn compound_kind(&mut self, kind: &TypeSpecKind) {
        match kind {
            TypeSpecKind::Named(path, args) => {
                self.path(path);
                self.type_args(args);
            }
            TypeSpecKind::Var(var) => self.tyvar(var),
            TypeSpecKind::Record(record) => self.record(record),
            TypeSpecKind::Enum(spec) => self.enumeration(spec),
            TypeSpecKind::Datatype(spec) => self.datatype(spec),
            TypeSpecKind::Tuple(parts) => self.list(("($ ", " ", ")"), parts, Self::type_name),
            TypeSpecKind::TypeofExpr(expr) => {
                self.put("(typeof ");
                self.expr(expr);
                self.put(")");
            }
            TypeSpecKind::TypeofType(ty) => {
                self.put("(typeof-type ");
                self.type_name(ty);
                self.put(")");
            }
            TypeSpecKind::Unqual(inner) => {
                self.put("(unqual ");
                self.spec(inner);
                self.put(")");
            }
            TypeSpecKind::RegionHandle(arg) => self.handle("region_t", arg),
            TypeSpecKind::AqualHandle(arg) => self.handle("aqual_t", arg),
            TypeSpecKind::Tag(arg) => self.handle("tag_t", arg),
            TypeSpecKind::SizeofT(arg) => self.handle("sizeof_t", arg),
            TypeSpecKind::Subset(subset) => {
                self.put_fmt(format_args!("(subset {} ", subset.var.name));
                self.type_name(&subset.base);
                self.put(" ");
                self.expr(&subset.cond);
                self.put(")");
            }
            // `spec_kind` prints the rest.
            _ => self.put("<error>"),
        }
    }

    fn handle(&mut self, head: &str, arg: &TypeArg) {
        self.put(head);
        self.put("<");
        self.type_arg(arg);
        self.put(">");
    }
}
