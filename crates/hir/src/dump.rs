//! HIR as text, for `toft build --emit=hir`.
