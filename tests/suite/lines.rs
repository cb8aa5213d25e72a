//! Lines of the body, one by one: positions, numbers, and which of them are none.

use cg_preprocess::profile::ProfileOptions;

use crate::library::{Reading, listed, listing, read};

const ADDRESSES: &str = "positions: instr line\nevents: Ir\nfn=f\n";

const TRACE: &str = "version: 1\ncreator: xdebug 3.2.0\nevents: Time Memory\n\n";

#[test]
fn a_line_number_is_not_taken_for_the_character_of_that_digit() {
    // From line 10 on it has no digit of its own: `:` follows `9`.
    for line in 8..30u8 {
        let number = char::from(b'0' + line);
        let text = format!("{ADDRESSES}0x10 {line} 1\n+4 * 1\n+4 {number} 1\n+4 * 1\n");
        let listed = listed(&text);
        if line < 10 {
            let expected = format!("f | :{line} |  | self 4 | inclusive 4 | invocations 1");
            assert_eq!(listed, Ok(vec![expected]));
        } else {
            let error = listed.unwrap_err();
            assert!(error.starts_with("test.cg:6: "), "{error}");
        }
    }
}

#[test]
fn numbers_of_any_length_are_read_to_their_last_digit() {
    for digits in 1..19 {
        let most = 10i64.pow(digits) - 1;
        for cost in [most, most - 1, most / 9 * 7, most / 9, most + 1] {
            let expected =
                |line| format!("f | :{line} |  | self {cost} | inclusive {cost} | invocations 1");
            let plain = format!("events: Ir\nfn=f\n16 {cost}\n");
            assert_eq!(listed(&plain), Ok(vec![expected(16)]));
            let two = format!("{ADDRESSES}0x10 16 0\n+4 * {cost}\n+4 * 0\n");
            assert_eq!(listed(&two), Ok(vec![expected(16)]));
            if digits == 18 {
                // Xdebug spells what is a little less than nothing so.
                continue;
            }
            let trace = format!("{TRACE}fl=(1) a.c\nfn=(1) f\n16 {cost} 0\n\n");
            let trace = listed(&trace).unwrap().concat().replace("a.c", "");
            assert_eq!(trace, expected(16));
        }
    }
}

#[test]
fn relative_numbers_of_any_length_are_added() {
    for step in [
        1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999, 100_000, 99_999_999,
    ] {
        for (sign, start) in [('+', 7), ('-', step + 7)] {
            let line = if sign == '+' { start + step } else { 7 };
            // The first cost line of `g` shows which line the steps led to.
            let expected = [
                format!("f | :{start} |  | self 1 | inclusive 1 | invocations 1"),
                format!("g | :{line} |  | self 3 | inclusive 3 | invocations 1"),
            ];
            let lines = format!("events: Ir\nfn=f\n{start} 1\nfn=g\n{sign}{step} 1\n* 2\n");
            assert_eq!(listed(&lines).unwrap(), expected);
            let both = format!(
                "{ADDRESSES}{start} {start} 0\n{sign}{step} * 1\nfn=g\n* {sign}{step} 1\n+0 +0 2\n"
            );
            assert_eq!(listed(&both).unwrap(), expected);
        }
    }
}

#[test]
fn a_column_of_addresses_knows_no_unknown_line() {
    for costs in ["5", "5 1", "5 1 1"] {
        let text = format!("positions: instr line\nevents: Ir Dr\nfn=f\n-1 {costs}\n");
        let error = listed(&text).unwrap_err();
        assert!(error.starts_with("test.cg:4: negative position"), "{error}");
    }
    // Where the line is all there is, `-1` is how some writers say that there is none.
    let line = "f | :0 |  | self 1 | inclusive 1 | invocations 1";
    assert_eq!(listed("events: Ir\nfn=f\n-1 1\n").unwrap(), [line]);
}

#[test]
fn one_cost_too_many_is_an_error_wherever_it_stands() {
    for (head, line) in [
        ("events: Ir\nfn=f\n16 1\n", "17 1 1"),
        ("events: Ir\nfn=f\n16 1\n", "+1 1 1"),
        ("events: Ir Dr\nfn=f\n16 1 2\n", "* 1 2 3"),
        (
            "positions: instr line\nevents: Ir\nfn=f\n16 1 1\n",
            "+4 * 1 1",
        ),
        (
            "positions: instr line\nevents: Ir Dr\nfn=f\n16 1 1 1\n",
            "+4 +1 1 1 1",
        ),
    ] {
        let sound = line.rsplit_once(' ').unwrap().0;
        let followed = |line: &str| listed(&format!("{head}{line}\n{sound}\n{sound}\n"));
        followed(sound).unwrap();
        let error = followed(line).unwrap_err();
        let number = head.lines().count() + 1;
        assert!(error.starts_with(&format!("test.cg:{number}: ")), "{error}");
    }
    let trace = format!("{TRACE}fl=(1) a\nfn=(1) f\n1 2 3\n\n");
    listed(&trace).unwrap();
    let error = listed(&trace.replace("1 2 3", "1 2 3 4")).unwrap_err();
    assert!(error.starts_with("test.cg:7: "), "{error}");
}

#[test]
fn lines_of_64_bits_are_told_apart() {
    let far = 1u64 << 32 | 1;
    let text =
        format!("events: Ir\nfn=f\n1 1\ncfn=g\ncalls=1 0\n1 10\ncfn=g\ncalls=2 0\n{far} 20\n");
    let expected = [
        "f | :1 |  | self 1 | inclusive 31 | invocations 1".to_owned(),
        "  line 1: g, calls 1, cost 10".to_owned(),
        format!("  line {far}: g, calls 2, cost 20"),
        "g | :0 |  | self 0 | inclusive 0 | invocations 3".to_owned(),
    ];
    assert_eq!(listed(&text).unwrap(), expected);
}

#[test]
fn a_relative_line_after_a_call_begins_at_the_line_of_its_cost() {
    let text = format!(
        "{TRACE}fl=(1) a.c\nfn=(1) g\n9 1 0\n\nfl=(1)\nfn=(2) f\n5 1 0\n\
         cfl=(1)\ncfn=(1)\ncalls=1 0 0\n20 1 0\ncfn=(1)\ncalls=1 0 0\n+3 2 0\n\
         cfl=(1)\ncfn=(1)\ncalls=1 0 0\n30 1 0\nfn=(3) h\n+4 2 0\n"
    );
    let expected = [
        "g | a.c:9 |  | self 1 | inclusive 1 | invocations 1",
        "f | a.c:5 |  | self 1 | inclusive 5 | invocations 1",
        "  line 20: g, calls 1, cost 1",
        "  line 23: g, calls 1, cost 2",
        "  line 30: g, calls 1, cost 1",
        "h | a.c:34 |  | self 2 | inclusive 2 | invocations 1",
    ];
    assert_eq!(listed(&text).unwrap(), expected);
}

#[test]
fn a_sign_without_a_number_is_none() {
    for line in ["+ 1", "- 1", "17 -", "17 - 1"] {
        let error = listed(&format!("events: Ir Dr\nfn=f\n16 1\n{line}\n")).unwrap_err();
        assert!(error.starts_with("test.cg:4: "), "{line:?}: {error}");
    }
    for line in ["+ +1 1", "+4 + 1", "+4 * -", "- * 1"] {
        let error = listed(&format!("{ADDRESSES}16 16 1\n{line}\n")).unwrap_err();
        assert!(error.starts_with("test.cg:5: "), "{line:?}: {error}");
    }
}

#[test]
fn costs_that_nobody_wants_are_numbers_too() {
    let line = "16 1 123456 123456 123456 1 1 1";
    let read = |line: &str| listed(&format!("events: A B C D E F G H\nfn=f\n{line}\n"));
    read(line).unwrap();
    for at in 0..line.len() {
        for wrong in ["x", "-", ":", "/"] {
            let mut line = line.to_owned();
            line.replace_range(at..=at, wrong);
            // A cost may begin with a sign.
            let is_sign = line[..at].ends_with(' ') && line[at..].starts_with("-2");
            assert_eq!(read(&line).is_ok(), is_sign, "{line}");
        }
    }
}

#[test]
fn a_line_without_a_position_begins_with_its_first_cost() {
    for events in ["A", "A B", "A B C D E"] {
        // Enough lines after it for every way to read it.
        let after = "0\n".repeat(60);
        let text = format!("positions:\nevents: {events}\nfn=f\n12\n34\n{after}");
        let expected = "f | :0 |  | self 46 | inclusive 46 | invocations 1";
        assert_eq!(listed(&text), Ok(vec![expected.to_owned()]), "{events}");
    }
}

#[test]
fn an_address_is_of_hexadecimal_digits() {
    let reading = Reading::default();
    for byte in u8::MIN..=u8::MAX {
        if byte.is_ascii_whitespace() {
            // Another line.
            continue;
        }
        for line in [
            "calls=1 0x? 0\n* * 5\n",
            "calls=1 0x1?0 0\n* * 5\n",
            "calls=1 0x1? 0\n* * 5\n",
            "0x1? 3 5\n",
        ] {
            let text = format!("{ADDRESSES}16 16 1\ncfn=g\n{line}{}", "# more\n".repeat(20));
            let text: Vec<u8> = text
                .bytes()
                .map(|b| if b == b'?' { byte } else { b })
                .collect();
            let is_read = reading.read([&text[..]]).is_ok();
            assert_eq!(is_read, byte.is_ascii_hexdigit(), "{byte:#04x} in {line:?}");
        }
    }
}

#[test]
fn of_several_inputs_the_least_line_counts() {
    // 0 is how a line is given that is not known.
    for lines in [[7, 0, 5], [0, 5, 7], [5, 7, 0], [0, 0, 5], [5, 0, 0]] {
        let mut profiles = lines.into_iter().map(|line| {
            let text = format!("events: Ir\nfn=f\n{line} 1\n");
            read(text, ProfileOptions::default())
        });
        let mut merged = profiles.next().unwrap();
        profiles.for_each(|other| merged.merge(other).unwrap());
        let expected = ["f | :5 |  | self 3 | inclusive 3 | invocations 3"];
        assert_eq!(listing(&merged), expected, "{lines:?}");
    }
}
