//! The graph never moves under the pointer: what is hit is what was meant.

use std::collections::HashSet;
use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::make;
use crate::browser::Browser;
use crate::profile::text_of;

/// A trace of a tree in which each function calls two others: long names, which take several lines
/// where these are described, and short ones.
fn profile(levels: u32) -> String {
    let name = |at: u32| match at % 3 {
        0 => format!(
            "Some\\Long\\Name{}Space{at}\\Service->method{at}",
            "Of\\A\\".repeat(20)
        ),
        _ => format!("f{at}"),
    };
    let mut text = String::from("version: 1\ncreator: xdebug 3.4.0\nevents: Time_(10ns)\n");
    for at in (1..1_u32 << levels).rev() {
        let below = levels - at.ilog2() - 1;
        text += &format!(
            "\nfl=/srv/app/src/{}.php\nfn={}\n1 1000\n",
            at % 7,
            name(at)
        );
        for callee in [2 * at, 2 * at + 1].into_iter().filter(|_| below > 0) {
            let cost = 1000 * ((1 << below) - 1);
            text += &format!("cfn={}\ncalls=1 0 0\n2 {cost}\n", name(callee));
        }
    }
    text
}

/// The name of the frame at a point, and of what is zoomed.
fn name_at(browser: &Browser, point: &Value) -> String {
    text_of(&browser.run(&format!(
        "return shownBy.get(document.elementFromPoint(...{point}))?.frame.name ?? 'none';"
    )))
}

fn zoomed(browser: &Browser) -> String {
    browser.wait_for("return location.hash.includes('zoom=');");
    browser.settle();
    text_of(&browser.run("return document.querySelector('.crumbs b').innerText;"))
}

/// What a box says: the tip at the pointer, or the panel of what was clicked.
fn name_in(browser: &Browser, id: &str) -> String {
    let name = format!("document.querySelector('#{id}:popover-open .name')?.innerText");
    text_of(&browser.run(&format!("return {name} ?? 'none';")))
}

fn leave(browser: &Browser) {
    browser.press("Esc");
    browser.wait_for("return !location.hash.includes('zoom=');");
    browser.settle();
}

#[test]
fn the_frame_that_is_hit_is_the_frame_that_is_meant() {
    let browser = Browser::start();
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("tree.cg"), profile(5)).expect("a file");
    let page = make(directory.path(), &["tree.cg", "--names", "full"]);
    for width in [360, 700, 1000, 1440] {
        browser.show_at(width, "light");
        browser.open(&page, "#view=flame");
        // Where all frames are before anything is touched, one of the left and one of the right in
        // turns, so that what the pointer comes from is described otherwise.
        let points = browser.run(
            "scrollTo(0, document.querySelector('.flame').offsetTop - 300);
            const places = [...document.querySelectorAll('.frame')].map((frame) => {
                const { left, top, width, height } = frame.getBoundingClientRect();
                return [shownBy.get(frame).frame.name, [Math.floor(left + width / 2), Math.floor(top + height / 2)]];
            });
            return places.filter(([name]) => name !== 'all');",
        );
        let points = points.as_array().expect("a list");
        assert_eq!(points.len(), 31);
        let mut hit = HashSet::new();
        for (at, place) in points.iter().enumerate() {
            let [meant, point] = [&place[0], &place[1]];
            let other = &points[points.len() - 1 - at][1];
            let to = |point: &Value| [0, 1].map(|at| point[at].as_i64().expect("a number"));
            let ([x, y], [other_x, other_y]) = (to(point), to(other));
            let kind = if at % 2 == 0 { "mouse" } else { "touch" };
            browser.hover(other_x, other_y);
            browser.hover(x, y);
            assert_eq!(name_in(&browser, "tip"), *meant, "at {width}");
            assert_eq!(name_at(&browser, point), *meant, "at {width}");
            browser.click(kind, x, y);
            assert_eq!(name_in(&browser, "panel"), *meant, "by {kind} at {width}");
            assert_eq!(name_in(&browser, "tip"), "none");
            if at % 8 == 3 {
                // The first of what the panel offers.
                browser.press("Enter");
                assert_eq!(zoomed(&browser), *meant, "by {kind} at {width}");
                // It is where the pointer is, so that another click does not hit another one.
                assert_eq!(name_at(&browser, point), *meant, "zoomed at {width}");
            }
            leave(&browser);
            assert_eq!(name_in(&browser, "panel"), "none");
            hit.insert(meant.to_string());
        }
        assert_eq!(hit.len(), 31);
    }
    // By keys: the frame with the focus.
    browser.press("/ Down Down Down");
    for step in 0..12 {
        browser.press(if step % 4 == 3 { "Down" } else { "Right" });
        let focused = "return shownBy.get(document.activeElement)?.frame.name ?? 'none';";
        let meant = text_of(&browser.run(focused));
        browser.press("Enter");
        assert_eq!(name_in(&browser, "panel"), meant);
        browser.press("Enter");
        assert_eq!(zoomed(&browser), meant, "by keys");
        leave(&browser);
        assert_eq!(browser.run(focused), json!(meant), "the focus");
    }
    browser.check_quiet(&page);
}
