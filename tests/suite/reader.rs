//! Reading as programs do that use the library: every option has its effect, and errors and warnings
//! of all formats have one shape.

use std::error::Error as _;

use cg_preprocess::callgrind::PartFilter;
use cg_preprocess::io::Source;
use cg_preprocess::profile::{EventChoice, Kind, Profile, ProfileBuilder};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::webgrind::Version;
use cg_preprocess::{Error, ErrorKind, ProfileReader};

use crate::common::gzip;
use crate::library::{self, headers};

const AGGREGATE: &str = "events: Ir Dr\npart: 1\nfl=a.c\nfn=f\n1 5 2\nfi=b.h\n2 7 1\n\
    cfi=a.c\ncfn=f\ncalls=2 1\n3 6 4\nfi=a.c\n3 1 1\npart: 2\nfl=a.c\nfn=f\n1 10 20\n";

const TRACE: &str = "version: 1\ncreator: xdebug 3.4.0\nevents: Time_(10ns) Memory_(bytes)\n\n\
    fl=a.php\nfn=g\n5 4 1\n\nfl=a.php\nfn=php::call_user_func\n4 2 1\ncfl=a.php\ncfn=g\ncalls=1 0 0\n4 4 1\n\n\
    fl=a.php\nfn={main}\n1 1 1\ncfl=a.php\ncfn=php::call_user_func\ncalls=1 0 0\n2 6 2\n\nsummary: 7 3\n\n";

fn profile(reader: ProfileReader, text: &str) -> Profile {
    let (profile, warnings) = reader.read(text.as_bytes()).unwrap();
    let warnings: Vec<_> = warnings.iter().map(|listed| listed.to_string()).collect();
    assert!(warnings.is_empty(), "{warnings:?}");
    profile
}

fn error(reader: ProfileReader, data: &[u8]) -> Error {
    reader.read(data).unwrap_err()
}

#[test]
fn events_and_their_order_are_chosen() {
    let totals = |reader| profile(reader, AGGREGATE).totals();
    assert_eq!(totals(ProfileReader::new()), [23]);
    assert_eq!(totals(ProfileReader::new().events(["d"])), [24]);
    assert_eq!(totals(ProfileReader::new().events(["Dr", "Ir"])), [24, 23]);
    assert_eq!(totals(ProfileReader::new().all_events()), [23, 24]);
    let missing = error(ProfileReader::new().events(["Bc"]), AGGREGATE.as_bytes());
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn what_is_kept_besides_sums_is_chosen() {
    let (new, text) = (ProfileReader::new, AGGREGATE);
    let lines = |profile: Profile| {
        let (f, _) = profile.functions().next().unwrap();
        let lines = profile.lines(f);
        lines
            .map(|line| (line.file.is_some(), line.line, line.costs[0]))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(profile(new(), text)), [(false, 1, 23)]);
    let by_line = [(false, 1, 15), (false, 3, 1), (true, 2, 7)];
    assert_eq!(lines(profile(new().lines(true), text)), by_line);

    let call_file = |profile: Profile| {
        let edge = profile.edges().next().unwrap();
        profile.call_file(&edge).to_vec()
    };
    assert_eq!(call_file(profile(new(), text)), b"a.c");
    assert_eq!(call_file(profile(new().call_files(true), text)), b"b.h");

    let parts = |profile: Profile| {
        profile
            .parts()
            .map(|part| part.totals[0])
            .collect::<Vec<_>>()
    };
    assert_eq!(parts(profile(new(), text)), [0; 0]);
    assert_eq!(parts(profile(new().parts(true), text)), [13, 10]);

    let invocations = |profile: Profile| profile.invocations().is_some();
    assert!(!invocations(profile(new(), TRACE)));
    assert!(invocations(profile(new().invocations(true), TRACE)));

    let exact = |profile: Profile| Stacks::new(&profile).exact_share();
    assert_eq!(exact(profile(new().stacks(true), TRACE)), 1.0);
}

#[test]
fn proxies_are_stepped_over() {
    let callees = |reader| {
        let profile = profile(reader, TRACE);
        let (main, _) = profile.functions().nth(2).unwrap();
        let calls = profile.sub_calls(main);
        let names = calls.map(|call| profile.name(profile.function(call.callee).name).to_vec());
        names.collect::<Vec<_>>()
    };
    assert_eq!(callees(ProfileReader::new()), [b"php::call_user_func"]);
    let proxies = ["php::call_user_func"];
    assert_eq!(callees(ProfileReader::new().proxies(proxies)), [b"g"]);
}

#[test]
fn parts_and_kinds_are_chosen() {
    let second = ProfileReader::new().only_parts([PartFilter::new("2")]);
    assert_eq!(profile(second, AGGREGATE).total(), 10);
    for (filter, data) in [("3", AGGREGATE), ("1", "events: Ir\nfn=f\n1 1\n")] {
        let third = ProfileReader::new().only_parts([PartFilter::new(filter)]);
        let error = error(third, data.as_bytes());
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    }
    let text = "events: Ir\nfl=a\nfn=f\n1 1\nfl=b\nfn=f\n1 1\n";
    let functions =
        |reader: ProfileReader| reader.read(text.as_bytes()).unwrap().0.functions().len();
    assert_eq!(functions(ProfileReader::new()), 2);
    assert_eq!(functions(ProfileReader::new().kind(Kind::Trace)), 1);
    assert_eq!(functions(ProfileReader::new().kind(Kind::Aggregate)), 2);
}

#[test]
fn lines_that_cannot_be_read_are_skipped_on_request() {
    let text = b"events: Ir\nfn=f\n1 x\n1 5\n";
    let error = error(ProfileReader::new().name("some.cg"), text);
    assert_eq!((error.kind(), error.line()), (ErrorKind::Invalid, Some(3)));
    assert!(error.to_string().starts_with("some.cg:3: "), "{error}");
    let (profile, warnings) = ProfileReader::new().lenient(true).read(&text[..]).unwrap();
    let listed = warnings.iter().next().unwrap();
    assert_eq!(listed.warning.file().as_deref(), Some("input"));
    assert_eq!(
        (listed.warning.line(), listed.warning.is_loss()),
        (Some(3), true)
    );
    assert_eq!((profile.total(), profile.is_complete()), (5, false));
}

/// Whatever a file is, and however it comes.
#[test]
fn formats_are_recognised() {
    let text = profile(ProfileReader::new(), TRACE);
    let file = library::write(&text, Version::V7);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("profile");
    let mut inputs = vec![TRACE.as_bytes().to_vec(), file.clone()];
    if cfg!(feature = "compression") {
        inputs.extend([gzip(TRACE.as_bytes()), gzip(&file)]);
    }
    for input in inputs {
        std::fs::write(&path, &input).unwrap();
        let read = [
            Profile::open(&path).unwrap(),
            Profile::read(&input[..]).unwrap(),
        ];
        for profile in read {
            assert_eq!(library::listing(&profile), library::listing(&text));
            assert_eq!(headers(&profile), headers(&text));
        }
    }
}

#[test]
fn errors_of_all_formats_have_one_shape() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("missing");
    let missing = Profile::open(&path).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert_eq!(missing.file(), Source::File(path).to_string());
    assert!(missing.source().is_some() && missing.line().is_none());
    let cases: [(&[u8], ErrorKind, Option<u64>); 8] = [
        (b"", ErrorKind::NoData, None),
        (b"events: Ir\n", ErrorKind::NoData, Some(1)),
        (b"hello\n", ErrorKind::NotAProfile, Some(1)),
        (b"\xfd7zXZ\0", ErrorKind::NotAProfile, None),
        (b"events: Ir\nfn=f\n1 1 1\n", ErrorKind::Invalid, Some(3)),
        (&[7, 0, 0, 0, 1], ErrorKind::Invalid, None),
        (
            &[7, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0],
            ErrorKind::NoData,
            None,
        ),
        (
            &[7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            ErrorKind::Invalid,
            None,
        ),
    ];
    for (data, kind, line) in cases {
        let error = error(ProfileReader::new(), data);
        assert_eq!((error.kind(), error.line()), (kind, line), "{error}");
        assert_eq!(error.file(), "input");
        assert!(error.to_string().starts_with("input:"), "{error}");
    }
}

/// Of several inputs, in another order of events, with lines; a function without costs, and calls of a
/// function to itself.
#[test]
fn a_profile_is_built_from_the_data_of_another_program() {
    let options = library::profile_options(|options| {
        options.events = EventChoice::Named(vec![b"Dr".to_vec(), b"Ir".to_vec()]);
        options.lines = true;
    });
    let mut builder = ProfileBuilder::new(options.clone());
    builder.begin(["Ir", "Dr"]);
    let f = builder.add_function("", "a.c", "f");
    let g = builder.add_function("lib.so", "a.c", "g");
    builder.add_function("", "", "unused");
    assert_eq!(builder.add_function("", "a.c", "f"), f);
    builder.add_self_costs(f, 1, &[5, 2]);
    builder.add_self_costs(f, 2, &[7]);
    builder.add_calls(f, g, 3, 2, &[6, 4]);
    builder.add_self_costs(g, 9, &[6, 4]);
    builder.add_calls(f, f, 4, 1, &[3, 1]);
    builder.begin(["Dr", "Ir"]);
    let g = builder.add_function("lib.so", "a.c", "g");
    builder.add_self_costs(g, 9, &[1, 10]);
    let profile = builder.finish().unwrap();
    let text = "events: Ir Dr\nfl=a.c\nfn=f\n1 5 2\n2 7\ncob=lib.so\ncfn=g\ncalls=2 0\n3 6 4\n\
        cob=\ncfn=f\ncalls=1 0\n4 3 1\nob=lib.so\nfn=g\n9 6 4\n";
    let more = "events: Ir Dr\nob=lib.so\nfl=a.c\nfn=g\n9 10 1\n";
    let reading = library::Reading {
        profile: options,
        ..library::Reading::default()
    };
    let (expected, _) = reading.read([text.as_bytes(), more.as_bytes()]).unwrap();
    let known: Vec<_> = library::listing(&profile)
        .into_iter()
        .filter(|line| !line.contains("unused"))
        .collect();
    assert_eq!(known, library::listing(&expected));
    assert_eq!(profile.totals(), [7, 28]);
}
