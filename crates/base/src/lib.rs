//! Ground: ids, the string interner, spans, the source map, typed index vectors,
//! bit sets, and stack-depth protection. Knows nothing of Toft.

pub mod bitset;
pub mod index;
pub mod source;
pub mod span;
pub mod stack;
pub mod symbol;

pub use bitset::BitSet;
pub use index::{Idx, IndexVec};
pub use rustc_hash::{FxHashMap, FxHashSet};
pub use source::{FileId, FileKind, Loc, SourceFile, SourceMap};
pub use span::Span;
pub use symbol::Symbol;
