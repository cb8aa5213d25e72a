//! Whom a call calls: objects and files given with `cfn=`, and for how long they hold.

use crate::library::{Reading, listed, listing};

const TRACE: &str = "version: 1\ncreator: xdebug 3.2.0\nevents: Time Memory\n\n";

/// The lines of functions, without those of their calls.
fn functions(text: &str) -> Vec<String> {
    let mut lines = listed(text).unwrap();
    lines.retain(|line| !line.starts_with(' '));
    lines
}

#[test]
fn the_object_of_a_callee_is_taken_in_a_trace_too() {
    // The id is known from an `fn=` without costs: the function itself appears with the call,
    // and its object is for that one alone.
    let text = format!(
        "{TRACE}fl=(1) a.php\nfn=(1) f\n1 1 0\n\nfn=(2) g\nfn=(3) h\nfn=(1)\n1 1 0\n\
         cob=lib.so\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n2 5 0\n\
         cfl=(1)\ncfn=(3)\ncalls=1 0 0\n3 4 0\n\n"
    );
    assert_eq!(
        functions(&text),
        [
            "f | a.php:1 |  | self 2 | inclusive 11 | invocations 2",
            "g | a.php:0 | lib.so | self 0 | inclusive 0 | invocations 0",
            "h | a.php:0 |  | self 0 | inclusive 0 | invocations 0",
        ]
    );
}

#[test]
fn a_file_is_the_callees_for_one_call() {
    // `b.php` was named for the first call, overruled, and is no longer in force at the second.
    let trace = format!(
        "{TRACE}fl=(1) a.php\nfn=(1) f\n1 1 0\n\nfl=(1)\nfn=(2) g\n1 1 0\n\
         cfl=(2) b.php\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n2 1 0\n\
         cfn=(3) h\ncalls=1 0 0\n3 7 0\n\n"
    );
    let sums = "events: Ir\nfl=(1) a.php\nfn=(1) f\n1 1\nfn=(2) g\n1 1\n\
                cfi=(2) b.php\ncfi=(1)\ncfn=(1)\ncalls=1 0\n2 1\n\
                cfn=(3) h\ncalls=1 0\n3 7\n";
    for text in [&trace, sums] {
        let functions = functions(text);
        assert_eq!(functions.len(), 3, "{functions:?}");
        assert!(
            functions[2].starts_with("h | a.php:0 |  |"),
            "{functions:?}"
        );
    }
}

#[test]
fn an_object_is_the_callees_for_one_call() {
    for (cob, cfn) in [("cob=(2) lib.so", "cfn=(3) h"), ("cob=(2)", "cfn=(3)")] {
        let text = format!(
            "events: Ir\nob=(2) lib.so\nob=(1) a.out\nfl=(1) a.c\nfn=(3) h\nfn=(1) f\n1 1\n\
             {cob}\n{cfn}\ncalls=1 0\n2 7\n{cfn}\ncalls=1 0\n3 7\n"
        );
        assert_eq!(
            functions(&text)[1..],
            [
                "h | a.c:0 | lib.so | self 0 | inclusive 0 | invocations 1",
                "h | a.c:0 | a.out | self 0 | inclusive 0 | invocations 1",
            ]
        );
    }
}

#[test]
fn a_callee_without_a_file_is_in_the_current_one() {
    for (file, expected) in [
        ("", "a.c"),
        ("fi=b.c\n", "b.c"),
        ("fi=b.c\n2 1\nfe=a.c\n", "a.c"),
    ] {
        let text = format!("events: Ir\nfl=a.c\nfn=f\n1 1\n{file}cfn=g\ncalls=1 0\n2 1\n");
        let functions = functions(&text);
        assert!(
            functions[1].starts_with(&format!("g | {expected}:0")),
            "{functions:?}"
        );
    }
}

#[test]
fn what_is_said_of_a_callee_before_the_caller_holds_too() {
    for place in [
        "cob=lib.so\ncfi=b.c\n",
        "cfi=b.c\ncob=lib.so\n",
        "cfl=b.c\ncob=lib.so\n",
        // In the block of another function.
        "fn=e\n1 1\ncfi=b.c\ncob=lib.so\n",
    ] {
        let text = format!(
            "events: Ir\nob=a.out\nfl=a.c\n{place}fn=f\n1 1\ncfn=g\ncalls=1 0\n2 1\n\
             cfn=h\ncalls=1 0\n2 1\n"
        );
        let functions = functions(&text);
        let [.., g, h] = &functions[..] else {
            panic!("{functions:?}");
        };
        assert!(g.starts_with("g | b.c:0 | lib.so"), "{functions:?}");
        assert!(h.starts_with("h | a.c:0 | a.out"), "{functions:?}");
    }
}

/// The calls of an input, or one invocation if it holds none.
#[test]
fn invocations_of_several_inputs_are_those_of_each() {
    let uncalled = "events: Ir\nfn=f\n1 1\nfn=f\n2 1\n";
    let called = "events: Ir\nfn=f\n1 1\nfn=main\ncfn=f\ncalls=5 0\n2 1\n";
    let without_block = "events: Ir\nfn=main\ncfn=f\ncalls=30 0\n2 1\n";
    let read = |inputs: &[&str]| {
        let inputs = inputs.iter().map(|text| text.as_bytes());
        let (profile, _) = Reading::default().read(inputs).unwrap();
        listing(&profile)
    };
    for (inputs, invocations) in [
        (&[uncalled][..], 1),
        (&[uncalled, uncalled], 2),
        (&[called, uncalled], 6),
        (&[uncalled, without_block, called], 36),
    ] {
        let listing = read(inputs);
        let f = listing.iter().find(|line| line.starts_with("f | "));
        let expected = format!("invocations {invocations}");
        assert!(f.unwrap().ends_with(&expected), "{listing:?}");
    }
}

#[test]
fn a_callee_is_called_again_until_another_is_named() {
    for (second, calls) in [
        ("calls=2 0\n3 20\n", 1),
        ("calls=2 0\n2 20\n", 0),
        ("fi=d.c\ncalls=2 0\n3 20\n", 1),
        ("fi=d.c\n1 0\nfe=a.c\ncalls=2 0\n3 20\n", 1),
    ] {
        let text = format!(
            "events: Ir\nob=a.out\nfl=a.c\nfn=f\n1 1\ncob=lib.so\ncfi=b.c\ncfn=g\n\
             calls=1 0\n2 10\n{second}fi=c.c\ncfn=g\ncalls=1 0\n4 1\n"
        );
        let lines = listed(&text).unwrap();
        // `f` calls two functions of the name: that of `b.c`, and that of the file in force.
        let functions = functions(&text);
        assert_eq!(functions.len(), 3, "{functions:?}");
        assert!(
            functions[1].starts_with("g | b.c:0 | lib.so"),
            "{functions:?}"
        );
        assert!(functions[1].ends_with("invocations 3"), "{functions:?}");
        assert!(
            functions[2].starts_with("g | c.c:0 | a.out"),
            "{functions:?}"
        );
        assert_eq!(lines.len() - functions.len(), 2 + calls, "{lines:?}");
    }
}
