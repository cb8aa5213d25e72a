//! The parts of a name. Narrow places show the most important ones.

/// The separator of parts, which no shown name contains.
const SEPARATOR: char = '\n';

/// A name in four parts: return types and namespaces, the class, the function, and its arguments.
pub(crate) fn parted(name: &str) -> String {
    let [class, function, end] = own_part(name);
    let parts = [
        &name[..class],
        &name[class..function],
        &name[function..end],
        &name[end..],
    ];
    parts.join(&SEPARATOR.to_string())
}

/// The start of the class, and the start and end of the function.
fn own_part(name: &str) -> [usize; 3] {
    let operator = operator(name);
    // The starts of namespaces, classes and the function, and whether the previous one is a scope.
    let mut starts = vec![(0, false)];
    let (mut depth, mut end) = (0_usize, name.len());
    let mut before = '\0';
    let mut skipped = 0;
    for (at, one) in name.char_indices() {
        let last = std::mem::replace(&mut before, one);
        let next = at + one.len_utf8();
        if at < skipped {
            continue;
        }
        if let Some([start, after]) = operator.filter(|&[start, _]| depth == 0 && at == start) {
            debug_assert_eq!(start, at);
            skipped = after;
            continue;
        }
        let is_scope = one == ':' && last == ':';
        match one {
            '>' if last == '-' => starts.extend((depth == 0).then_some((next, true))),
            '<' | '(' | '[' | '{' => {
                let is_named = operator.is_some_and(|[_, after]| at == after);
                let follows = last.is_alphanumeric() || "_>…)]}".contains(last);
                if one == '(' && depth == 0 && (is_named || follows) {
                    end = end.min(at);
                }
                depth += 1;
            }
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth > 0 || end < at && !is_scope => {}
            _ if is_scope || matches!(one, '\\' | '/' | ' ') && !name[next..].starts_with('<') => {
                starts.push((next, is_scope));
                end = name.len();
            }
            _ => {}
        }
    }
    let (function, has_class) = starts[starts.len() - 1];
    let class = match starts.len().checked_sub(2) {
        Some(before) if has_class => starts[before].0,
        _ => function,
    };
    [class, function, end.max(function)]
}

/// The start and end of the name of an operator: `operator()`, `operator<<`, `operator new[]`.
fn operator(name: &str) -> Option<[usize; 2]> {
    const WORD: &str = "operator";
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = name.match_indices(WORD);
    found.find_map(|(at, _)| {
        if name[..at].ends_with(is_word) {
            return None;
        }
        let rest = &name[at + WORD.len()..];
        let length = if rest.starts_with("()") {
            2
        } else {
            let text = rest.strip_prefix(' ').unwrap_or(rest);
            let is_sign = |c: char| !is_word(c) && !c.is_whitespace() && c != '(';
            let signs = text.find(|c| !is_sign(c)).unwrap_or(text.len());
            let word = text.find(|c| !is_word(c)).unwrap_or(text.len());
            let blank = rest.len() - text.len();
            match (signs, word) {
                (1.., _) => blank + signs,
                (0, 1..) if blank > 0 => {
                    blank + word + if text[word..].starts_with("[]") { 2 } else { 0 }
                }
                _ => return None,
            }
        };
        Some([at, at + WORD.len() + length])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(parted(name), parts.replace('|', "\n"), "{name}");
        }
    }
}
