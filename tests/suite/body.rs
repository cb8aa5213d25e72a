//! Lines of the body, one by one: positions, numbers, and which of them are none.

use crate::library::{Reading, listed};

const ADDRESSES: &str = "positions: instr line\nevents: Ir\nfn=f\n";

#[test]
fn numbers_after_9_are_not_taken_for_digits() {
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
fn costs_of_events_that_are_not_chosen_must_be_numbers() {
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
fn an_address_is_of_hexadecimal_digits() {
    let reading = Reading::default();
    // White space would make another line.
    for byte in (u8::MIN..=u8::MAX).filter(|byte| !byte.is_ascii_whitespace()) {
        for line in [
            "calls=1 0x? 0\n* * 5\n",
            "calls=1 0x1?0 0\n* * 5\n",
            "calls=1 0x1? 0\n* * 5\n",
            "0x1? 3 5\n",
        ] {
            let text = format!("{ADDRESSES}16 16 1\ncfn=g\n{line}{}", "# more\n".repeat(20));
            let bytes = text.bytes().map(|b| if b == b'?' { byte } else { b });
            let text: Vec<u8> = bytes.collect();
            let is_read = reading.read([&text[..]]).is_ok();
            assert_eq!(is_read, byte.is_ascii_hexdigit(), "{byte:#04x} in {line:?}");
        }
    }
}
