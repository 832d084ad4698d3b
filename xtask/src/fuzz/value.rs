//! Values and memory of the interpreter of random programs.

use super::model::*;

#[derive(Clone, PartialEq, Debug)]
pub enum Val {
    Void,
    Int(i128),
    Float(f64),
    /// Of a struct or an array.
    Many(Vec<Val>),
    /// A tagged union: the current member (`usize::MAX`: none yet), its value.
    Tagged(usize, Box<Val>),
    Null,
    Thin(Spot),
    Fat(Fat),
    /// A datatype value on the heap: object number.
    Data(usize),
    Func(usize),
}

/// Somewhere in an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    pub obj: usize,
    pub path: Vec<usize>,
}

/// Elements of the array at `base`; `at` is the position.
#[derive(Clone, PartialEq, Debug)]
pub struct Fat {
    pub base: Spot,
    pub at: i64,
    pub len: i64,
    /// Seen as bytes: elements of that integer type lie there.
    pub bytes: Option<Int>,
}

/// An exception.
#[derive(Clone, PartialEq, Debug)]
pub enum Exn {
    Null,
    Bounds,
    Match,
    Arith,
    User(usize, Vec<i128>),
}

impl Val {
    pub fn zero(program: &Program, ty: &Ty) -> Val {
        match ty {
            Ty::Void => Val::Void,
            Ty::Int(_) => Val::Int(0),
            Ty::Float => Val::Float(0.0),
            Ty::Struct(i) => {
                Val::Many(program.structs[*i].iter().map(|ty| Val::zero(program, ty)).collect())
            }
            Ty::Array(elem, n) => Val::Many(vec![Val::zero(program, elem); *n]),
            Ty::Union(_) => Val::Tagged(usize::MAX, Box::new(Val::Void)),
            Ty::Fat(_) | Ty::Thin(_) | Ty::Str | Ty::Data(_) | Ty::Func(_) => Val::Null,
        }
    }

    pub fn int(&self) -> Option<i128> {
        match self {
            Val::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub fn truth(&self) -> bool {
        match self {
            Val::Int(value) => *value != 0,
            Val::Float(value) => *value != 0.0,
            Val::Null => false,
            _ => true,
        }
    }
}

/// A conversion between numbers; everything else stays as it is.
pub fn convert(value: Val, to: &Ty) -> Result<Val, Exn> {
    Ok(match (value, to) {
        (Val::Int(v), Ty::Int(int)) => Val::Int(int.wrap(v)),
        (Val::Int(v), Ty::Float) => Val::Float(v as f64),
        (Val::Float(v), Ty::Int(Int::Bool)) => Val::Int(i128::from(v != 0.0)),
        (Val::Float(v), Ty::Int(int)) => {
            let cut = v.trunc();
            if !(cut > -1e30 && cut < 1e30) || int.wrap(cut as i128) != cut as i128 {
                return Err(Exn::Arith);
            }
            Val::Int(cut as i128)
        }
        (value, _) => value,
    })
}

/// Arithmetic on two values of one type, already converted.
pub fn arith(op: Bin, a: &Val, b: &Val, ty: &Ty) -> Result<Val, Exn> {
    let compare = |ordering: Option<std::cmp::Ordering>| {
        use std::cmp::Ordering::*;
        let yes = match op {
            Bin::Eq => ordering == Some(Equal),
            Bin::Ne => ordering != Some(Equal),
            Bin::Lt => ordering == Some(Less),
            Bin::Le => matches!(ordering, Some(Less | Equal)),
            Bin::Gt => ordering == Some(Greater),
            _ => matches!(ordering, Some(Greater | Equal)),
        };
        Val::Int(i128::from(yes))
    };
    match (a, b, ty) {
        (Val::Float(a), Val::Float(b), _) => Ok(match op {
            Bin::Add => Val::Float(a + b),
            Bin::Sub => Val::Float(a - b),
            Bin::Mul => Val::Float(a * b),
            Bin::Div => Val::Float(a / b),
            _ => compare(a.partial_cmp(b)),
        }),
        (Val::Int(a), Val::Int(b), Ty::Int(int)) => {
            if op.is_compare() {
                return Ok(compare(a.partial_cmp(b)));
            }
            let zero = matches!(op, Bin::Div | Bin::Rem) && *b == 0;
            let bad = matches!(op, Bin::Shl | Bin::Shr) && !(0..i128::from(int.bits())).contains(b);
            if zero || bad {
                return Err(Exn::Arith);
            }
            Ok(Val::Int(int.wrap(match op {
                Bin::Add => a + b,
                Bin::Sub => a - b,
                Bin::Mul => a.wrapping_mul(*b),
                Bin::Div => a / b,
                Bin::Rem => a % b,
                Bin::And => a & b,
                Bin::Or => a | b,
                Bin::Xor => a ^ b,
                Bin::Shl => a << b,
                _ => a >> b,
            })))
        }
        _ => Ok(Val::Void),
    }
}
