//! Chromium, told what to do over WebDriver: JSON over HTTP, of which this is as much as the tests
//! need.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::producer::Tool;

const CHROMIUM: Tool = Tool::new("chromium", "chromium");
const DRIVER: Tool = Tool::new("chromedriver", "chromium-driver");

/// How long a page may take to do something on a busy machine. A test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often the driver is started at most.
const STARTS: u32 = 5;

/// A browser with one empty window, which is closed with it.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    user: TempDir,
}

/// Starts the driver. Nothing if it ends without a port, as it does if another program takes the port that
/// it has chosen.
fn start_driver() -> Option<(Child, u16)> {
    let mut command = DRIVER.command();
    // It chooses one, and says which.
    command.arg("--port=0");
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut driver = command
        .spawn()
        .unwrap_or_else(|_| panic!("{}", DRIVER.missing()));
    let output = BufReader::new(driver.stdout.take().expect("a pipe"));
    let mut ports = output.lines().map_while(Result::ok).filter_map(|line| {
        let (_, port) = line.split_once(" successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    let Some(port) = ports.next() else {
        // Its output has ended, so it has, too.
        let _ = driver.wait();
        return None;
    };
    // What else it says has nobody to wait for.
    spawn(move || ports.count());
    Some((driver, port))
}

impl Browser {
    pub fn start() -> Self {
        let (driver, port) = (0..STARTS)
            .find_map(|_| start_driver())
            .expect("chromedriver names its port");
        let user = TempDir::new().expect("a temporary directory");
        let mut browser = Browser {
            driver,
            port,
            session: String::new(),
            user,
        };
        browser.begin();
        browser
    }

    fn begin(&mut self) {
        let user = format!("--user-data-dir={}", self.user.path().display());
        let options = json!({
            "binary": CHROMIUM.path(),
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", user,
            ],
        });
        // Otherwise, a page that does not draw for 30 seconds on a busy machine would fail.
        let timeouts = json!({"script": PATIENCE.as_millis() as u64});
        let capabilities = json!({
            "timeouts": timeouts,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": options,
        });
        let body = json!({"capabilities": {"alwaysMatch": capabilities}});
        let answer = self.call("POST", "", Some(&body));
        let id = answer["sessionId"].as_str();
        self.session = format!("/{}", id.unwrap_or_else(|| panic!("no session: {answer}")));
        // What its first window asked for is not what the pages do.
        self.post("/url", &json!({"url": "about:blank"}));
        self.post("/se/log", &json!({"type": "performance"}));
        let clock = json!({"timeDomain": "threadTicks"});
        self.command("Performance.enable", clock);
    }

    /// Asks the driver; its answer, which may be an error.
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a time limit");
        let request = format!(
            "{method} /session{}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.session,
            body.len(),
        );
        stream.write_all(request.as_bytes()).expect("chromedriver");
        let mut answer = Vec::new();
        let mut chunk = [0; 1 << 16];
        // The driver does not always close the connection.
        while !is_whole(&answer) {
            match stream.read(&mut chunk).expect("an answer of chromedriver") {
                0 => break,
                count => answer.extend_from_slice(&chunk[..count]),
            }
        }
        let answer = String::from_utf8(answer).expect("UTF-8");
        let (_, body) = answer
            .split_once("\r\n\r\n")
            .expect("an answer of chromedriver");
        let answer: Value = serde_json::from_str(body).expect("JSON");
        answer["value"].clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let value = self.call("POST", path, Some(body));
        assert!(value["error"].is_null(), "{path}: {value:#}");
        value
    }

    /// Opens a page from a file, at an address in it.
    pub fn open(&self, page: &Path, address: &str) {
        // Otherwise only the address in the page may change.
        self.post("/url", &json!({"url": "about:blank"}));
        self.post(
            "/url",
            &json!({"url": format!("file://{}{address}", page.display())}),
        );
    }

    /// Runs a script and returns what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Looks at the page, with a function of `page/look.js`.
    pub fn look(&self, what: &str, arguments: &Value) -> Value {
        const LOOK: &str = include_str!("page/look.js");
        let script = format!("{LOOK} return look.{what}(...arguments);");
        self.post(
            "/execute/sync",
            &json!({"script": script, "args": arguments}),
        )
    }

    /// Waits until the page has been drawn anew.
    pub fn settle(&self) {
        let script = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]));";
        self.post("/execute/async", &json!({"script": script, "args": []}));
    }

    /// Waits until a report shows what its address says: it learns of a new one later than the click
    /// on a link ends, and its address follows what is typed a moment later.
    pub fn follow(&self) {
        let follows = "addressOf(stateOf(location.hash)) === addressOf(state)";
        // Readers may have left it.
        self.wait_for(&format!(
            "return typeof state === 'undefined' || {follows};"
        ));
        self.settle();
    }

    /// Where an element is, as `place` of `page/look.js` finds it, once it stays there.
    pub fn place(&self, text: &str, css: &str) -> Option<[i64; 2]> {
        let see = || self.look("place", &json!([text, css]));
        let start = Instant::now();
        let mut last = see();
        loop {
            self.settle();
            let place = see();
            if place == last && !place.is_null() {
                let [Some(x), Some(y)] = [0, 1].map(|at| place[at].as_i64()) else {
                    return None;
                };
                return Some([x, y]);
            }
            if start.elapsed() > PATIENCE / 5 {
                return None;
            }
            last = place;
        }
    }

    /// Runs a script until it returns true.
    #[track_caller]
    pub fn wait_for(&self, script: &str) {
        let start = Instant::now();
        while self.run(script) != true {
            assert!(start.elapsed() < PATIENCE, "never: {script}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub fn press(&self, names: &str) {
        let keys = keys(names).into_iter().map(String::from);
        let actions = keys
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key})));
        let actions: Vec<Value> = actions.collect();
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": actions});
        self.post("/actions", &json!({"actions": [keyboard]}));
    }

    /// Moves the mouse to a point of the window.
    pub fn hover(&self, x: i64, y: i64) {
        self.point("mouse", json!([to(x, y)]));
    }

    /// Clicks on a point of the window, or taps on it.
    pub fn click(&self, kind: &str, x: i64, y: i64) {
        let [down, up] =
            ["pointerDown", "pointerUp"].map(|kind| json!({"type": kind, "button": 0}));
        self.point(kind, json!([to(x, y), down, up]));
    }

    fn point(&self, kind: &str, actions: Value) {
        let kinds = json!({"pointerType": kind});
        let pointer =
            json!({"type": "pointer", "id": kind, "parameters": kinds, "actions": actions});
        self.post("/actions", &json!({"actions": [pointer]}));
    }

    pub fn back(&self) {
        self.post("/back", &json!({}));
    }

    /// Gives the window a width, and the user a preference for a dark or a light page.
    pub fn show_at(&self, width: u32, scheme: &str) {
        self.emulate(width, scheme, "");
    }

    /// Shows pages as they are printed on paper of a width in pixels.
    pub fn show_on_paper(&self, width: u32) {
        self.emulate(width, "light", "print");
    }

    /// Tells the browser itself to do something.
    fn command(&self, name: &str, parameters: Value) -> Value {
        let body = json!({"cmd": name, "params": parameters});
        self.post("/goog/cdp/execute", &body)
    }

    /// The seconds that the processor has worked for the page since it was opened, whatever else it did.
    pub fn work(&self) -> f64 {
        let metrics = self.command("Performance.getMetrics", json!({}));
        let metrics = metrics["metrics"].as_array().expect("a list");
        let work = metrics.iter().find(|one| one["name"] == "TaskDuration");
        work.expect("the time of tasks")["value"]
            .as_f64()
            .expect("a number")
    }

    fn emulate(&self, width: u32, scheme: &str, media: &str) {
        self.command(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
        );
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.command(
            "Emulation.setEmulatedMedia",
            json!({"media": media, "features": [feature]}),
        );
    }

    /// Checks that nothing was said on the console, no dialog is open, and nothing but the page
    /// was asked for.
    #[track_caller]
    pub fn check_quiet(&self, page: &Path) {
        let alert = self.call("GET", "/alert/text", None);
        assert_eq!(alert["error"], "no such alert", "{alert}");
        let console = self.post("/se/log", &json!({"type": "browser"}));
        assert_eq!(console, json!([]));
        let file = format!("file://{}", page.display());
        let events = self.post("/se/log", &json!({"type": "performance"}));
        for event in events.as_array().expect("a list") {
            let message = event["message"].as_str().expect("a text");
            let message: Value = serde_json::from_str(message).expect("JSON");
            if message["message"]["method"] == "Network.requestWillBeSent" {
                let url = &message["message"]["params"]["request"]["url"];
                assert!(*url == file || *url == "about:blank", "{url}");
            }
        }
    }
}

/// The keys that words name; other words are typed.
fn keys(text: &str) -> Vec<char> {
    let key = |word: &str| match word {
        "Enter" => vec!['\u{e007}'],
        "Esc" => vec!['\u{e00c}'],
        "Space" => vec![' '],
        "PageUp" => vec!['\u{e00e}'],
        "PageDown" => vec!['\u{e00f}'],
        "End" => vec!['\u{e010}'],
        "Home" => vec!['\u{e011}'],
        "Left" => vec!['\u{e012}'],
        "Up" => vec!['\u{e013}'],
        "Right" => vec!['\u{e014}'],
        "Down" => vec!['\u{e015}'],
        "Backspace" => vec!['\u{e003}'],
        _ => word.chars().collect(),
    };
    text.split(' ').flat_map(key).collect()
}

fn to(x: i64, y: i64) -> Value {
    json!({"type": "pointerMove", "duration": 0, "x": x, "y": y})
}

/// Whether an answer has as many bytes as it says.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let lengths = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = lengths.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = lengths
        .next()
        .and_then(|(_, length)| length.trim().parse::<usize>().ok());
    length.is_some_and(|length| answer.len() >= head.len() + 4 + length)
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also where a test has failed, or Chromium would go on without its driver.
        let _ = catch_unwind(AssertUnwindSafe(|| self.call("DELETE", "", None)));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
