//! A real browser without a window, driven as its own tools drive it: Chromium, over a pipe.

#![allow(dead_code, reason = "every test uses the part that it needs")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Everything that is waited for comes sooner, or never.
const DEADLINE: Duration = Duration::from_secs(120);

pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    number: u64,
    session: String,
}

/// A picture of the page: three bytes for each point.
pub(crate) struct Picture {
    width: usize,
    points: Vec<u8>,
    each: usize,
}

impl Browser {
    /// Opens a page, in a window of this size.
    pub(crate) fn open(address: &str, width: u32, height: u32, profile: &Path) -> Browser {
        // Its tools speak on descriptors 3 and 4.
        let words = format!(
            "exec chromium --headless=new --no-sandbox --disable-gpu-sandbox \
             --enable-unsafe-swiftshader --hide-scrollbars --force-device-scale-factor=1 \
             --disable-dev-shm-usage --no-first-run --user-data-dir='{}' \
             --window-size={width},{height} --remote-debugging-pipe about:blank \
             3<&0 4>&1 0</dev/null 1>&2",
            profile.display()
        );
        let child = Command::new("sh")
            .args(["-c", &words])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.expect("there is a shell");
        let (to, out) = (child.stdin.take(), child.stdout.take());
        let (told, from) = mpsc::channel();
        let mut reader = BufReader::new(out.expect("it was asked for"));
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while reader.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                let message = serde_json::from_slice(&bytes[..bytes.len() - 1]);
                if message.is_ok_and(|message| told.send(message).is_err()) {
                    return;
                }
                bytes.clear();
            }
        });
        let to = to.expect("it was asked for");
        let mut browser = Browser { child, to, from, number: 0, session: String::new() };
        let target = browser.ask("Target.createTarget", json!({ "url": address }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().expect("it has a name").to_string();
        browser.resize(width, height);
        browser
    }

    /// Sends a command, and waits for what it says.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.try_to(method, params);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_to(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let sent = write!(self.to, "{message}\0").and_then(|()| self.to.flush());
        assert!(sent.is_ok(), "chromium has ended: is it there? apt-get install chromium");
        let end = Instant::now() + DEADLINE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let answer = self.from.recv_timeout(left).unwrap_or_else(|_| {
                panic!("no answer to {method}: is chromium there? apt-get install chromium")
            });
            if answer["id"] == self.number {
                return match answer.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(answer["result"].clone()),
                };
            }
        }
    }

    /// Another size of the window.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Light colours or dark ones, as the user of the machine would choose them.
    pub(crate) fn colours(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// The window as a small file of the kind WebP, the whole times `scale`.
    pub(crate) fn small_file(&mut self, width: u32, height: u32, scale: f64) -> Vec<u8> {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": scale });
        let params = json!({ "format": "webp", "quality": 80, "clip": clip });
        let answer = self.ask("Page.captureScreenshot", params);
        of_base64(answer["data"].as_str().expect("a picture"))
    }

    /// The seconds that the page's main thread has worked so far, whatever for.
    pub(crate) fn worked(&mut self) -> f64 {
        self.ask("Performance.enable", json!({ "timeDomain": "timeTicks" }));
        let told = self.ask("Performance.getMetrics", json!({}));
        let metrics = told["metrics"].as_array().expect("a list");
        let of_tasks = metrics.iter().find(|metric| metric["name"] == "TaskDuration");
        of_tasks.and_then(|metric| metric["value"].as_f64()).expect("a number")
    }

    /// What an expression is, in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        let value = self.value(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Waits until an expression is true in the page, which may not be there yet.
    pub(crate) fn wait(&mut self, expression: &str) {
        let end = Instant::now() + DEADLINE;
        let careful = format!(
            "new Promise(go => setTimeout(() => {{ try {{ go(!!({expression})) }} \
             catch {{ go(false) }} }}, 16))"
        );
        loop {
            let params =
                json!({ "expression": careful, "returnByValue": true, "awaitPromise": true });
            // Between two pages there is none that could answer.
            let answer = self.try_to("Runtime.evaluate", params).unwrap_or_default();
            if answer["result"]["value"] == json!(true) {
                return;
            }
            if Instant::now() > end {
                let seen = self.value("document.body.innerText");
                panic!("it never was so: {expression}\n{seen}");
            }
        }
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64, modifiers: u32) {
        let buttons = if kind == "mouseReleased" { 0 } else { 1 };
        let params = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons,
            "clickCount": 1, "modifiers": modifiers,
        });
        self.ask("Input.dispatchMouseEvent", params);
    }

    /// Moves the mouse, with no button pressed.
    pub(crate) fn point_at(&mut self, x: f64, y: f64) {
        let params = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.ask("Input.dispatchMouseEvent", params);
    }

    pub(crate) fn press_at(&mut self, x: f64, y: f64) {
        self.mouse("mousePressed", x, y, 0);
    }

    pub(crate) fn release_at(&mut self, x: f64, y: f64) {
        self.mouse("mouseReleased", x, y, 0);
    }

    /// Clicks at a place of the window; with the shift key where that is wanted.
    pub(crate) fn click_at(&mut self, x: f64, y: f64, with_shift: bool) {
        let modifiers = if with_shift { 8 } else { 0 };
        self.mouse("mousePressed", x, y, modifiers);
        self.mouse("mouseReleased", x, y, modifiers);
    }

    /// Turns the wheel at a place of the window; down is positive.
    pub(crate) fn wheel(&mut self, (x, y): (f64, f64), by: f64) {
        let params = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by });
        self.ask("Input.dispatchMouseEvent", params);
    }

    /// Presses the right button at a place of the window.
    pub(crate) fn right_click_at(&mut self, x: f64, y: f64) {
        for (kind, buttons) in [("mousePressed", 2), ("mouseReleased", 0)] {
            let params = json!({
                "type": kind, "x": x, "y": y, "button": "right", "buttons": buttons,
                "clickCount": 1,
            });
            self.ask("Input.dispatchMouseEvent", params);
        }
    }

    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mousePressed", from.0, from.1, 0);
        for part in [0.5, 1.0] {
            let along = |a: f64, b: f64| a + (b - a) * part;
            self.mouse("mouseMoved", along(from.0, to.0), along(from.1, to.1), 0);
        }
        self.mouse("mouseReleased", to.0, to.1, 0);
    }

    /// From now on there are fingers, or none any more.
    pub(crate) fn touches(&mut self, are_there: bool) {
        let params = json!({ "enabled": are_there, "maxTouchPoints": 2 });
        self.ask("Emulation.setTouchEmulationEnabled", params);
    }

    /// What fingers do: touchStart, touchMove, touchEnd or touchCancel, and where.
    pub(crate) fn fingers(&mut self, kind: &str, at: &[(f64, f64)]) {
        let point = |(id, (x, y)): (usize, &(f64, f64))| json!({ "id": id, "x": x, "y": y });
        let points: Vec<Value> = at.iter().enumerate().map(point).collect();
        self.ask("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    }

    /// Two fingers, one above the other, whose distance from the middle changes.
    pub(crate) fn pinch(&mut self, (x, y): (f64, f64), from: f64, to: f64) {
        for step in 0..=8 {
            let kind = if step == 0 { "touchStart" } else { "touchMove" };
            let far = from + (to - from) * f64::from(step) / 8.0;
            self.fingers(kind, &[(x, y - far), (x, y + far)]);
        }
        self.fingers("touchEnd", &[]);
    }

    /// Clicks in the middle of the element with this id.
    pub(crate) fn click(&mut self, id: &str) {
        self.value(&format!("document.getElementById('{id}').scrollIntoView()"));
        let middle = format!(
            "(r => [r.x + r.width / 2, r.y + r.height / 2])\
             (document.getElementById('{id}').getBoundingClientRect())"
        );
        let middle = self.value(&middle);
        let at = |place: usize| middle[place].as_f64().expect("a number");
        self.click_at(at(0), at(1), false);
    }

    /// Lets a simulation go on until this is so, then halts it.
    pub(crate) fn run_until(&mut self, expression: &str) {
        self.click("go");
        self.wait(expression);
        self.click("go");
        self.wait("frame.state === 'halted'");
    }

    /// Presses a key, such as `End`, where the focus is.
    pub(crate) fn key(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && (key.len() == 1 || key == "Enter") {
                params["text"] = json!(if key == "Enter" { "\r" } else { key });
            }
            self.ask("Input.dispatchKeyEvent", params);
        }
    }

    /// What the window shows, as a PNG file.
    pub(crate) fn file(&mut self) -> Vec<u8> {
        let answer = self.ask("Page.captureScreenshot", json!({ "format": "png" }));
        of_base64(answer["data"].as_str().expect("a picture"))
    }

    pub(crate) fn picture(&mut self) -> Picture {
        let bytes = self.file();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("PNG");
        let mut points = vec![0; reader.output_buffer_size().expect("it is small")];
        let info = reader.next_frame(&mut points).expect("PNG");
        let each = info.color_type.samples();
        Picture { width: info.width as usize, points, each }
    }
}

impl Picture {
    pub(crate) fn at(&self, x: f64, y: f64) -> [u8; 3] {
        let at = (y as usize * self.width + x as usize) * self.each;
        [0, 1, 2].map(|part| self.points[at + part])
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = write!(self.to, "{}\0", json!({ "id": 0, "method": "Browser.close" }));
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::yield_now();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn of_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(value).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let all = four.iter().fold(0u32, |all, digit| all << 6 | u32::from(*digit));
        let all = all << (6 * (4 - four.len()));
        all.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}
