//! TIR as text, for `toft build --emit=tir`.
