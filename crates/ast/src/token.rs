//! Tokens, as the preprocessor hands them to the parser: after macro expansion,
//! string concatenation not yet done, keywords still identifiers.

use toft_base::{Span, Symbol};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokKind,
    /// White space (or a comment) stands before it.
    pub space: bool,
    /// First token of its line.
    pub line_start: bool,
    /// Identifiers: the name. Type variables: the name without its quote.
    /// Numbers: the spelling. Strings and characters: the spelling with prefix and
    /// quotes (decode with `pp::literal`). `RawC`: the raw text. `Aqual`: the
    /// word after the backslash. Punctuation: unused (`Symbol` of the spelling).
    pub sym: Symbol,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokKind {
    Ident,
    /// `'r` or `` `r ``. A quote starts a type variable when an identifier follows that
    /// is not itself followed by a closing quote (`'a'` is a character).
    TyVar,
    Number,
    Char,
    Str,
    /// `\A`, `\U`, `\RC`, `\T`: an aliasability.
    Aqual,
    /// The text between the braces of `extern "C include" { … }`; braces included in
    /// neither the text nor the stream: the stream has `extern`, the string, `RawC`.
    RawC,
    Punct(Punct),
    /// A character that is no token of the language (reported by the parser or,
    /// in skipped text, by nobody).
    Unknown,
    Eof,
}

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Punct { $($name,)* }

        impl Punct {
            pub const ALL: &[(Punct, &str)] = &[$((Punct::$name, $text),)*];

            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

puncts! {
    LParen "(", RParen ")", LBrace "{", RBrace "}", LBracket "[", RBracket "]",
    Semi ";", Comma ",", Dot ".", Arrow "->", Ellipsis "...",
    Plus "+", Minus "-", Star "*", Slash "/", Percent "%",
    PlusPlus "++", MinusMinus "--",
    Amp "&", Pipe "|", Caret "^", Tilde "~", Bang "!",
    AmpAmp "&&", PipePipe "||",
    Shl "<<", Shr ">>",
    Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=",
    Question "?", Colon ":", ColonColon "::",
    Eq "=", PlusEq "+=", MinusEq "-=", StarEq "*=", SlashEq "/=", PercentEq "%=",
    AmpEq "&=", PipeEq "|=", CaretEq "^=", ShlEq "<<=", ShrEq ">>=",
    // Swap, tuples, qualifiers, the short not-null pointer.
    Swap ":=:", Dollar "$", At "@",
    Hash "#", HashHash "##",
}

impl Token {
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokKind::Punct(punct)
    }
}

/// A token as it is written.
pub fn spelling(token: &Token) -> String {
    match token.kind {
        TokKind::Punct(punct) => punct.text().to_owned(),
        TokKind::TyVar => format!("'{}", token.sym),
        TokKind::Aqual => format!("\\{}", token.sym),
        TokKind::RawC => format!("{{{}}}", token.sym),
        TokKind::Eof => String::new(),
        TokKind::Ident | TokKind::Number | TokKind::Char | TokKind::Str | TokKind::Unknown => {
            token.sym.to_string()
        }
    }
}
