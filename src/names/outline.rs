//! The parts of a name: the types that a function returns, its namespaces, class and arguments.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use super::pieces::{Piece, PieceKind, Pieces};

/// The separator of parts, which no shown name contains.
const SEPARATOR: char = '\n';

/// A name in four parts: return types and namespaces, the class, the function, and its arguments.
/// Narrow places show the most important ones.
pub(crate) fn parted(name: &str) -> String {
    let outline = Outline::of(name);
    let (function, kind) = outline.starts[outline.starts.len() - 1];
    let class = match outline.last_member() {
        Some(member) if !is_path(kind) => outline.starts[member - 1].0,
        _ => function,
    };
    let parts = [
        &name[..class],
        &name[class..function],
        &name[function..outline.end],
        &name[outline.end..],
    ];
    parts.join(&SEPARATOR.to_string())
}

/// A name without parameters and, at its end, template arguments.
pub(super) fn without_arguments(name: &str) -> &str {
    let name = &name[..Outline::of(name).end];
    let last = Pieces::outer(name).last();
    let arguments = last.filter(|last| is_template(name, last) && last.range.end == name.len());
    match arguments.map(|arguments| arguments.range.start) {
        Some(start @ 1..) => name[..start].trim_end_matches([':', ' ']),
        _ => name,
    }
}

/// Where the components of a name begin: namespaces, classes and the function.
pub(super) fn components(name: &str) -> impl Iterator<Item = usize> {
    let starts = Outline::of(name).starts.into_iter();
    starts.map(|(start, _)| start)
}

/// The class of a function, or else its namespace: `A\B` of `A\B->m`, `ns::C` of
/// `ns::C<int>::m(…)`; `None` for a function without either. Template arguments are omitted.
///
/// A function that is defined in another one belongs to the class of that one.
pub(crate) fn class(name: &str) -> Option<String> {
    if let Some(class) = dotnet_class(name) {
        return Some(class.to_owned());
    }
    let name = of_type(name.strip_prefix("php::").unwrap_or(name));
    let mut outline = Outline::of(&name);
    outline.starts.truncate(outline.outermost + 1);
    let (_, kind) = *outline.starts.last()?;
    // The namespace of PHP's closures follows their class: `A\B->A\{closure:/srv/a.php:2-3}`.
    let mut function = match outline.last_member() {
        Some(member) if !is_path(kind) => member,
        None if kind == PieceKind::Namespace => outline.outermost,
        _ => return None,
    };
    // PHP's closures are functions of classes; others are defined in functions.
    let is_nested = |component: usize| {
        let text = &name[outline.starts[component].0..];
        text.starts_with('{') && !text.starts_with("{closure:") && !text.starts_with("{closure}")
    };
    while is_nested(function) || function > 1 && is_nested(function - 1) {
        function = function.checked_sub(1)?;
    }
    let path = without_templates(&name[outline.starts[0].0..outline.starts[function].0]);
    let separators = ["::", "->", "\\", "#"];
    let class = separators.iter().find_map(|mark| path.strip_suffix(mark));
    class.filter(|class| !class.is_empty()).map(str::to_owned)
}

/// The class of a method of .NET: `Ns.Type` of `Ns.Type+Nested.Method(int32)`, `` Ns.List`1 `` of
/// `` Ns.List`1[System.Int32].Add(!0) ``. Types in it, which are mostly made by the compiler, belong to it.
fn dotnet_class(name: &str) -> Option<&str> {
    let (dots, _) = dotnet_dots(name)?;
    let path = &name[..*dots.last()?];
    let nested = path.find('+').unwrap_or(path.len());
    // The arguments of a generic type follow the number of them.
    let number = path.find('`').map(|at| {
        let digits = path[at + 1..].bytes().take_while(u8::is_ascii_digit);
        at + 1 + digits.count()
    });
    Some(&path[..nested.min(number.unwrap_or(nested))])
}

/// The dots between the namespaces, types and the method of a name of .NET, and where its parameters begin;
/// `None` for other names.
///
/// Only these end with parameters and have dots, but neither blanks nor other separators before them:
/// `Ns.Type.Method(class System.String[])`.
fn dotnet_dots(name: &str) -> Option<(Vec<usize>, usize)> {
    let mut dots = Vec::new();
    let (mut from, mut parameters) = (0, None);
    for Piece { kind, range, .. } in Pieces::outer(name) {
        if kind != PieceKind::Brackets || parameters.is_some() {
            return None;
        }
        let between = name[from..range.start].match_indices('.');
        dots.extend(between.map(|(at, _)| from + at));
        from = range.end;
        let are_parameters = name[range.start..].starts_with('(');
        parameters = are_parameters.then_some(range);
    }
    // A constructor's own name begins with a dot: `Ns.Type..ctor()`.
    dots.dedup_by(|later, dot| *later == *dot + 1);
    let Range { start, end } = parameters?;
    let is_named = dots.last().is_some_and(|&dot| dot > 0 && dot + 1 < start);
    (is_named && end == name.len()).then_some((dots, start))
}

/// The crate of a function of Rust: `app` of `app::shop::run` and `<app::Cart as core::fmt::Debug>::fmt`.
/// If a crate implements a trait for the type of another one, that is hardly the standard library.
pub(super) fn crate_name(name: &str) -> Option<String> {
    const STANDARD: [&str; 3] = ["alloc", "core", "std"];
    let own = without_templates(name.trim_start_matches(['<', '&']));
    let first_of = |path: &str| {
        let path = path.trim_start_matches('&').trim_start_matches("mut ");
        let (first, _) = path.trim_start_matches("dyn ").split_once("::")?;
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (!first.is_empty() && is_name(first)).then(|| first.to_owned())
    };
    let (of_type, of_trait) = own.split_once(" as ").unwrap_or((&own, ""));
    let crates = || [of_type, of_trait].into_iter().filter_map(first_of);
    let is_own = |name: &String| !STANDARD.contains(&name.as_str());
    crates().find(is_own).or_else(|| crates().next())
}

/// A name of Rust with types instead of what implements their traits: `Foo::f` instead of
/// `<Foo as Bar>::f` and `x::<impl Bar for Foo>::f`.
fn of_type(name: &str) -> Cow<'_, str> {
    /// The types of closures contain further types: `<<Foo>::f::{closure#0} as FnOnce>::call_once`.
    const MAX_DEPTH: usize = 4;
    let mut name = Cow::from(name);
    for _ in 0..MAX_DEPTH {
        let is_type = |piece: &Piece| {
            let (brackets, after) = (&name[piece.range.start..], &name[piece.range.end..]);
            // Only other brackets may come before it.
            let is_first = piece.range.start == piece.depth;
            let is_impl = piece.depth == 0 && brackets.starts_with("<impl ");
            is_template(&name, piece) && after.starts_with("::") && (is_first || is_impl)
        };
        let Some(piece) = Pieces::of(name.as_bytes()).find(is_type) else {
            break;
        };
        let before = &name[..piece.depth];
        let own = type_in(&name[piece.range.start + 1..piece.range.end - 1]);
        name = Cow::from([before, &own, &name[piece.range.end..]].concat());
    }
    name
}

/// The type in `Foo as Bar` and `impl Bar for Foo`, without references, and of several traits the
/// first.
fn type_in(text: &str) -> String {
    let text = without_templates(text);
    let name = match text.strip_prefix("impl ") {
        Some(own) => own.split_once(" for ").map_or(own, |(_, name)| name),
        None => text.split_once(" as ").map_or(&*text, |(name, _)| name),
    };
    let end = name.find('+').or_else(|| name.find(" -> "));
    let name = &name[..end.unwrap_or(name.len())];
    name.trim_end().trim_start_matches('&').to_owned()
}

/// A part of a name without template arguments.
fn without_templates(text: &str) -> String {
    let (mut plain, mut from) = (String::new(), 0);
    for piece in Pieces::outer(text).filter(|piece| is_template(text, piece)) {
        let before = &text[from..piece.range.start];
        plain += before.strip_suffix("::").unwrap_or(before);
        from = piece.range.end;
    }
    plain + &text[from..]
}

fn is_template(name: &str, piece: &Piece) -> bool {
    piece.kind == PieceKind::Brackets && name[piece.range.start..].starts_with('<')
}

/// Whether what follows is a file.
fn is_path(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Directory | PieceKind::Path)
}

/// The components of a name, and where its arguments begin.
struct Outline {
    /// Where namespaces, classes and functions begin, and the kind of piece before each. The first
    /// one begins after the types that the function returns.
    starts: Vec<(usize, PieceKind)>,
    /// The first component with parameters. Those after it are defined in this function.
    outermost: usize,
    /// Where the last component ends. Its arguments, and additions to the name, follow.
    end: usize,
}

impl Outline {
    fn of(name: &str) -> Self {
        if let Some(closure) = name.rfind("{closure} ") {
            // A short name, whose file and line belong to it.
            return Outline {
                end: name.len(),
                ..Outline::of(&name[..closure + "{closure}".len()])
            };
        }
        if let Some((dots, end)) = dotnet_dots(name) {
            let members = dots.into_iter().map(|dot| (dot + 1, PieceKind::Member));
            let starts: Vec<_> = iter::once((0, PieceKind::Blank)).chain(members).collect();
            return Outline {
                outermost: starts.len() - 1,
                starts,
                end,
            };
        }
        let whole = &name[..location(name).unwrap_or(name.len())];
        let mut starts = vec![(0, PieceKind::Blank)];
        let (mut outermost, mut end) = (None, None);
        let mut is_operator = false;
        for Piece { kind, range, .. } in Pieces::outer(whole) {
            match kind {
                PieceKind::Operator => is_operator = true,
                PieceKind::Brackets if end.is_none() => {
                    let has_name = is_operator || ends_name(&whole[..range.start]);
                    if has_name && whole[range.start..].starts_with('(') {
                        end = Some(range.start);
                        outermost.get_or_insert(starts.len() - 1);
                    }
                }
                // An operator may have the name of a type.
                _ if is_operator && end.is_none() => {}
                PieceKind::Member => {
                    starts.push((range.end, kind));
                    (end, is_operator) = (None, false);
                }
                _ if end.is_some() => {}
                PieceKind::Blank => match &whole.as_bytes()[range.end..] {
                    // What profilers and demanglers add: `each [c function]`, `f (.llvm.1)`.
                    [b'[', ..] | [b'(', b'.', ..] => end = Some(range.start),
                    _ => (starts, outermost) = (vec![(range.end, kind)], None),
                },
                PieceKind::Namespace | PieceKind::Directory => starts.push((range.end, kind)),
                PieceKind::Path => {
                    let file = whole[range.clone()].rfind(['/', '\\']);
                    starts.push((range.start + file.map_or(0, |at| at + 1), kind));
                }
                PieceKind::Brackets | PieceKind::Quote => {}
            }
        }
        Outline {
            outermost: outermost.unwrap_or(starts.len() - 1),
            starts,
            end: end.unwrap_or(whole.len()),
        }
    }

    /// The last component that is a member of the one before.
    fn last_member(&self) -> Option<usize> {
        let mut kinds = self.starts.iter().map(|&(_, kind)| kind);
        kinds.rposition(|kind| kind == PieceKind::Member)
    }
}

/// Where the location begins that yappi and bzr add: `fib /srv/a.py:12`, `run bzrlib.builtins:412`.
fn location(name: &str) -> Option<usize> {
    let place = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if place.len() < name.len() && place.ends_with(':') {
        name.find(" /").or_else(|| name.rfind(' '))
    } else {
        None
    }
}

/// Whether a text ends with the name of a function, so that parameters can follow.
fn ends_name(text: &str) -> bool {
    let is_last = |c: char| c.is_alphanumeric() || "_>…)]}".contains(c);
    text.ends_with(is_last) && !text.ends_with("decltype")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_classes_or_namespaces() {
        for (name, expected) in [
            (r"A\B->m", r"A\B"),
            (r"A\B::m", r"A\B"),
            (r"A\helper", "A"),
            (r"A\B->{closure:/srv/a::b.php:2-3}", r"A\B"),
            (r"A\{closure:/srv/a.php:2-3}", "A"),
            ("php::PDO->query", "PDO"),
            ("ns::C<int, a::b>::m(x::y, int)", "ns::C"),
            ("void std::vector<int>::push<int>(int) const", "std::vector"),
            ("A::operator<(int)", "A"),
            ("A::operator->()", "A"),
            ("A::operator<=>(b::C)", "A"),
            ("A::operator->*<int>(b::C)", "A"),
            (
                "std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)",
                "std",
            ),
            ("bool ns::operator< <a::b>(a::b)", "ns"),
            ("std::vector<int>::operator[](unsigned long)", "std::vector"),
            ("bool ns::operator==<int>(ns::A, ns::A)", "ns"),
            ("(anonymous namespace)::run(int)", "(anonymous namespace)"),
            ("<app::Foo<'a> as core::Iter<u8>>::next", "app::Foo"),
            ("app::Foo::run::{closure#0}", "app::Foo"),
            ("app::Foo::run::{closure#0}::inner", "app::Foo"),
            ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr"),
            ("<&app::Foo as Bar>::f", "app::Foo"),
            ("<dyn assets::Foo as Bar>::f", "assets::Foo"),
            ("<dyn a::Fn<(u64,)>+Output = u64 as a::T>::f", "a::Fn"),
            (r"A\B->A\{closure:/srv/a.php:2-3}", r"A\B"),
            (r"A\B::A\{closure:C:\srv\a.php:2-3}", r"A\B"),
            (r"A\P::{closure}(/srv/app/src/P.php:46-48)", r"A\P"),
            (r"A\B->{closure:A\B::f():24}", r"A\B"),
            (
                r"{anonymous-class:/srv/a.php:6-6}->A\{closure:/srv/a.php:6-6}",
                "{anonymous-class:/srv/a.php:6-6}",
            ),
            (
                r"class@anonymous\x00/srv/a.php:3$0->run",
                r"class@anonymous\x00/srv/a.php:3$0",
            ),
            ("A::B::operator std::string() const", "A::B"),
            ("bool A::operator< <int>(A<int> const&) const", "A"),
            ("auto A::operator()<a::b*>(a::b* const&) const", "A"),
            ("a::C::m()::{lambda(int)#1}::operator()(int) const", "a::C"),
            ("a::C::m()::Local::f()", "a::C"),
            ("a::m()::{lambda(int)#1}& b::C<int>::f<a::D>()", "b::C"),
            ("std::enable_if<((4)>(3)), int>::type a::f<4>()", "a"),
            ("decltype (::new (a::b())) c::f<int>(int)", "c"),
            ("decltype(auto) a::C::f<int>(int)", "a::C"),
            ("map<decltype(a->b), c::d>::find(int)", "map"),
            ("a::operator-<b::C*, std::vector<b::C> >(int)", "a"),
            (
                "a::b::<impl a::Priced for a::shop::Cart<u64>>::price",
                "a::shop::Cart",
            ),
            ("alloc::slice::<impl [T]>::sort_by::{{closure}}", "[T]"),
            ("core::str::<impl str>::len", "str"),
            ("<T as alloc::slice::<impl [T]>::f::Convert>::to_vec", "T"),
            ("<a::Cart<u32>>::with::<String>::{closure#0}", "a::Cart"),
            ("<a::Map<fn(u32) -> u32, S>>::insert", "a::Map"),
            (
                "<<a::State<u8>>::new::{closure#0} as FnOnce<()>>::call_once",
                "a::State",
            ),
            ("a::run::<b::C>", "a"),
            ("a::Cart::<u8>::run::<b::C>::{closure#0}", "a::Cart"),
            ("block in Index#add", "Index"),
            ("Report/Table::add", "Report/Table"),
            ("Report::__ANON__[/srv/a::b.pl:14]", "Report"),
            ("App.Program.Main(class System.String[])", "App.Program"),
            (
                "App.Parser+<>c__DisplayClass4_0.<Parse>b__0(class System.String)",
                "App.Parser",
            ),
            ("App.Cart+Line.Add()", "App.Cart"),
            (
                "System.Collections.Generic.List`1[System.Int32].Add(!0)",
                "System.Collections.Generic.List`1",
            ),
            (
                "A.Map`2+Enumerator[System.Int32,System.__Canon].MoveNext()",
                "A.Map`2",
            ),
            ("A.Many`12[B.C,D.E].Of[F.G](!!0)", "A.Many`12"),
            ("A.B..ctor(int32)", "A.B"),
            ("A.B..cctor()", "A.B"),
            ("Program.<Main>$(class System.String[])", "Program"),
        ] {
            assert_eq!(class(name).as_deref(), Some(expected), "{name}");
        }
        for name in [
            "main",
            "php::strlen",
            "{main}",
            "{closure:/srv/a.php:2-3}",
            "",
            "f(a::b)",
            "f(int)::{lambda(int)#1}::operator()(int) const",
            "(below main)",
            "::f",
            "<fn() -> app::Out as Bar>::f",
            "main::{closure#0}",
            "include::/srv/app/a.php",
            r"require_once::C:\srv\a.php",
            "load::app/lib.php",
            "<genexpr> /srv/a::b/report.py:6",
            "run a::b:412",
            "net/http.(*conn).serve",
            "{cache,'-warm/1-fun-0-',1}",
            "f.part.0",
            "Table.add",
            "main.Map[...]",
            "Process64 app.exe (4242)",
            "operator.(int)",
            ".f()",
            "f.()",
            "f()",
        ] {
            assert_eq!(class(name), None, "{name}");
        }
    }

    #[test]
    fn functions_of_rust_have_crates() {
        for (name, expected) in [
            ("app::main", Some("app")),
            ("app::shop::Cart<b::C>::total", Some("app")),
            ("app::run::<b::C>::{closure#0}", Some("app")),
            ("<app::Cart as core::fmt::Debug>::fmt", Some("app")),
            (
                "<&mut app::Cart<b::C> as serde::ser::Serialize>::serialize",
                Some("app"),
            ),
            ("<dyn app::Cart as b::C>::f", Some("app")),
            ("<app::Cart<u32>>::with::<String>::{closure#0}", Some("app")),
            (
                "<<app::State<u8>>::new::{closure#0} as FnOnce<()>>::call_once",
                Some("app"),
            ),
            ("<alloc::vec::Vec<b::C> as app::Ext>::f", Some("app")),
            ("<[T] as app::Ext>::f", Some("app")),
            ("<T as app::Ext>::f", Some("app")),
            ("core::ptr::drop_in_place<app::Cart>", Some("core")),
            (
                "app::shop::<impl b::Priced for c::Cart>::price",
                Some("app"),
            ),
            ("main", None),
            ("", None),
            ("::f", None),
            ("<T>::f", None),
        ] {
            assert_eq!(crate_name(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn parameters_and_template_arguments_go() {
        for (name, expected) in [
            (
                "std::vector<int>::push<f(int)>(int, char) const",
                "std::vector<int>::push",
            ),
            ("A::operator()(int)", "A::operator()"),
            ("A::operator<<(int)", "A::operator<<"),
            ("A::operator->", "A::operator->"),
            (
                "(anonymous namespace)::run(int)",
                "(anonymous namespace)::run",
            ),
            ("<app::Foo as Bar>::run", "<app::Foo as Bar>::run"),
            ("swap<a<b>>", "swap"),
            ("a::run::<b::C>", "a::run"),
            ("a::operator<< <char>(int)", "a::operator<<"),
            ("bool operator==<a<b>>(a, b)", "bool operator=="),
            (
                "f(int)::{lambda(int)#1}::operator()(int) const",
                "f(int)::{lambda(int)#1}::operator()",
            ),
            (">", ">"),
            ("<a>", "<a>"),
        ] {
            assert_eq!(without_arguments(name), expected);
        }
    }

    #[test]
    fn names_have_parts() {
        for (name, parts) in [
            ("main", "||main|"),
            ("a<f(int)>::b(char)", "|a<f(int)>::|b|(char)"),
            ("b<f(int)>(char)", "||b<f(int)>|(char)"),
            ("", "|||"),
            ("App\\Cart->total", "App\\|Cart->|total|"),
            ("App\\Cart::of", "App\\|Cart::|of|"),
            ("php::usort", "|php::|usort|"),
            ("App\\helper", "App\\||helper|"),
            ("a::b::c(int, std::x)", "a::|b::|c|(int, std::x)"),
            (
                "void std::vector<int, x >::push<int>(int) const",
                "void std::|vector<int, x >::|push<int>|(int) const",
            ),
            (
                "app::Shop::operator()(int) const",
                "app::|Shop::|operator()|(int) const",
            ),
            (
                "std::function<void (int)>::operator()(int) const",
                "std::|function<void (int)>::|operator()|(int) const",
            ),
            (
                "it<int>::operator*() const",
                "|it<int>::|operator*|() const",
            ),
            (
                "v::operator=(v const&) [clone .isra.0]",
                "|v::|operator=|(v const&) [clone .isra.0]",
            ),
            (
                "operator new(unsigned long)",
                "||operator new|(unsigned long)",
            ),
            ("a::operator<< <char>(int)", "|a::|operator<< <char>|(int)"),
            ("X::operator bool() const", "|X::|operator bool|() const"),
            ("{closure:/srv/a.php:3-5}", "||{closure:/srv/a.php:3-5}|"),
            ("(below main)", "||(below main)|"),
            (
                "f(int)::{lambda(int)#1}::operator()(int) const",
                "f(int)::|{lambda(int)#1}::|operator()|(int) const",
            ),
            ("<a::B as c::D>::run", "|<a::B as c::D>::|run|"),
            ("my_operator", "||my_operator|"),
            (
                r"A\B->A\{closure:/srv/a.php:3-5}",
                r"A\|B->A\|{closure:/srv/a.php:3-5}|",
            ),
            ("include::/srv/app/a.php", "include::/srv/app/||a.php|"),
            (
                "Table.f /srv/my app/a.py:3",
                "||Table.f| /srv/my app/a.py:3",
            ),
            ("run bzrlib.builtins:412", "||run| bzrlib.builtins:412"),
            ("each [c function]", "||each| [c function]"),
            ("f(int) (.llvm.12)", "||f|(int) (.llvm.12)"),
            ("cache:get/2", "||cache:get/2|"),
            ("net/http.(*conn).serve", "net/||http.(*conn).serve|"),
            ("Index#add", "|Index#|add|"),
            (
                "a::C::operator std::string<int>() const",
                "a::|C::|operator std::string<int>|() const",
            ),
            ("a::run::<b::C>", "|a::|run::<b::C>|"),
            (r"A\B->{closure} B.php:24", r"A\|B->|{closure} B.php:24|"),
            (r"A\{closure} B.php:24", r"A\||{closure} B.php:24|"),
            ("A.B.Cart.Add(class C.D)", "A.B.|Cart.|Add|(class C.D)"),
            ("A.B+<>c..ctor()", "A.|B+<>c.|.ctor|()"),
            (
                "a::m()::{lambda(int)#1}& b::C<int>::f<a::D>()",
                "a::m()::{lambda(int)#1}& b::|C<int>::|f<a::D>|()",
            ),
        ] {
            assert_eq!(parted(name), parts.replace('|', "\n"), "{name}");
        }
    }
}
