//! What calls do with their arguments.

use super::paths::Types;
use toft_mir::*;
use toft_ty::{FuncTy, TyKind};

/// Entry points that free one object and nothing below it, and the argument's position.
const FREES: [(&str, usize); 2] = [("toft_unique_free", 0), ("toft_region_free", 1)];
/// Entry points that consume an argument, with what it owns.
const CONSUMES: [(&str, usize); 9] = [
    ("toft_counted_drop", 0),
    ("toft_counted_drop_full", 0),
    ("toft_counted_drop_n", 0),
    ("toft_region_drop_n", 1),
    ("toft_region_drop", 1),
    ("toft_region_drop_full", 1),
    ("toft_key_free", 0),
    ("toft_key_drop", 0),
    ("toft_drseq_next", 0),
];

/// What becomes of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Looked at by the runtime, which keeps nothing.
    Peeked,
    /// The callee may use it until it returns.
    Lent,
    Consumed,
    /// Freed by itself: what it owns must be gone.
    Freed,
}

/// The argument that is freed without what it owns.
pub fn freed(call: &Call) -> Option<&Operand> {
    let Callee::Runtime(name) = call.callee else { return None };
    let at = FREES.iter().find(|(free, _)| *free == name)?.1;
    call.args.get(at)
}

/// The type of what is called, where it is a function with a Toft type.
pub fn signature<'a>(body: &Body<Built>, types: &Types<'a>, call: &Call) -> Option<&'a FuncTy> {
    match &call.callee {
        Callee::Func(id, _) => types.decls.funcs.get(*id).map(|decl| &decl.sig),
        Callee::Ptr(operand) => {
            let ty = match operand {
                Operand::Copy(place) | Operand::Move(place) => types.place(body, place)?,
                Operand::Const(constant) => constant.ty,
            };
            match ty.as_ptr().map_or(ty, |ptr| ptr.elem).kind() {
                TyKind::Func(func) => Some(func),
                _ => None,
            }
        }
        Callee::Gnu(_) | Callee::Runtime(_) => None,
    }
}

pub fn fate(call: &Call, signature: Option<&FuncTy>, n: usize) -> Fate {
    if let Callee::Runtime(name) = call.callee {
        let among = |list: &[(&str, usize)]| list.contains(&(name, n));
        return match call.args.get(n) {
            _ if among(&FREES) => Fate::Freed,
            _ if among(&CONSUMES) => Fate::Consumed,
            Some(Operand::Move(_)) => Fate::Consumed,
            _ => Fate::Peeked,
        };
    }
    match signature {
        Some(func) if n < 64 && func.consumes >> n & 1 == 1 => Fate::Consumed,
        Some(_) => Fate::Lent,
        None => match call.args.get(n) {
            Some(Operand::Move(_)) => Fate::Consumed,
            // Of what is called nothing is known: the worst.
            _ if matches!(call.callee, Callee::Ptr(_)) => Fate::Lent,
            _ => Fate::Peeked,
        },
    }
}
