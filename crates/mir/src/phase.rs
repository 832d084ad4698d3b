//! The phases of a body, as types.

/// A phase marker.
pub trait Phase: Copy + 'static {
    /// The word in dumps.
    const NAME: &'static str;
}

macro_rules! phases {
    ($($(#[$meta:meta])* $name:ident $text:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;
        impl Phase for $name {
            const NAME: &'static str = $text;
        }
    )*};
}

phases! {
    /// As lowered: may be unsafe, may be generic.
    Built "built";
    /// Judged safe; facts are filled in; may be generic.
    Checked "checked";
    /// One instance: no type parameters, regions and effects erased.
    Concrete "concrete";
    /// Ready to be emitted.
    Final "final";
}
