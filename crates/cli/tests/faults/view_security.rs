//! What a hostile page, a hostile program on the same machine or a hostile scene can do to `signorini view`: nothing.
//!
//! Raw sockets, so that no client library is polite on our behalf.

use crate::visitor::{Message, Server, directory, scene_file};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Command;
use std::time::{Duration, Instant};

/// The address of this machine on its network, if it has one. Nothing is sent.
fn outward_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[test]
fn l1_by_default_it_listens_on_loopback_only() {
    let server = Server::start(&[]);
    assert_eq!(server.get("/").0, 200);
    match outward_address() {
        Some(address) => {
            let reached = TcpStream::connect_timeout(&SocketAddr::new(address, server.port), Duration::from_secs(2));
            assert!(reached.is_err(), "reached through {address}");
        }
        None => eprintln!("no address but loopback: the other half of this test is skipped"),
    }
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let own = format!(":{:04X}", server.port);
    let listening = |line: &&str| line.split_whitespace().nth(3) == Some("0A");
    for line in tables.iter().flat_map(|table| table.lines()).filter(listening) {
        let local = line.split_whitespace().nth(1).unwrap();
        if let Some(address) = local.strip_suffix(&own) {
            // 127.0.0.1 and ::1 as the kernel writes them.
            assert!(["0100007F", "00000000000000000000000001000000"].contains(&address), "{local}");
        }
    }
}

#[test]
fn l2_a_foreign_host_is_refused() {
    let server = Server::start(&[]);
    let port = server.port;
    for host in [
        "evil.com".to_owned(),
        format!("evil.com:{port}"),
        format!("127.0.0.1.evil.com:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("[::1]:{port}"),
        String::new(),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(server.ask(&request).0, 403, "{host}");
        let (status, _) = server.upgrade(&host, Some(&format!("http://{host}")));
        assert_eq!(status, 403, "{host}");
    }
    for bad in [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.com\r\nConnection: close\r\n\r\n"),
        format!("GET http://evil.com/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"),
    ] {
        let (status, _) = server.ask(&bad);
        assert!((400..500).contains(&status), "{status} for {bad}");
    }
    assert_eq!(server.ask(&format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n")).0, 200);
}

#[test]
fn l3_a_foreign_origin_is_refused() {
    let server = Server::start(&[]);
    let (host, port) = (server.host(), server.port);
    for origin in [
        None,
        Some("null".to_owned()),
        Some("http://evil.com".to_owned()),
        Some(format!("https://{host}")),
        Some(format!("http://127.0.0.1.evil.com:{port}")),
        Some("http://127.0.0.1".to_owned()),
        Some(format!("http://localhost:{port}")),
        Some(format!("http://{host}.evil.com")),
        Some(String::new()),
    ] {
        assert_eq!(server.upgrade(&host, origin.as_deref()).0, 403, "{origin:?}");
    }
    assert_eq!(server.upgrade(&host, Some(&format!("http://{host}"))).0, 101);
    let localhost = format!("localhost:{port}");
    assert_eq!(server.upgrade(&localhost, Some(&format!("http://{localhost}"))).0, 101);
}

#[test]
fn l4_without_the_token_nothing_is_told() {
    let server = Server::start(&["--control"]);
    let almost = format!("{}0", &server.token[..31]);
    let almost = if almost == server.token { format!("{}1", &server.token[..31]) } else { almost };
    for first in [
        r#"{"type":"hello","version":1}"#.to_owned(),
        r#"{"type":"hello","token":"","version":1}"#.to_owned(),
        format!(r#"{{"type":"hello","token":"{almost}","version":1}}"#),
        format!(r#"{{"type":"hello","token":"{}","version":1}}"#, &server.token[..31]),
        r#"{"type":"frames","epoch":1,"lane":0,"from":0,"to":1}"#.to_owned(),
        r#"{"type":"reset"}"#.to_owned(),
        "not json".to_owned(),
    ] {
        let mut socket = server.socket();
        socket.say(&first);
        let Some(Message::Text(text)) = socket.read() else { panic!("no answer to {first}") };
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&answer["type"], &answer["code"]), (&Value::from("error"), &Value::from(401)), "{first}");
        assert!(matches!(socket.read(), Some(Message::Close(4401))), "{first}");
    }
    // The page is no secret; it does not contain the token.
    let (status, page) = server.get("/");
    assert_eq!(status, 200);
    assert!(!page.contains(&server.token));
}

#[test]
fn l4_a_socket_that_says_nothing_is_closed_after_ten_seconds() {
    let server = Server::start(&[]);
    let mut silent = server.socket();
    let mut half_a_request = server.connect();
    half_a_request.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let start = Instant::now();
    assert!(silent.is_closed_within(Duration::from_secs(14)));
    assert!(start.elapsed() > Duration::from_secs(8));
    half_a_request.set_read_timeout(Some(Duration::from_secs(4))).unwrap();
    let mut rest = Vec::new();
    assert!(half_a_request.read_to_end(&mut rest).is_ok(), "half a request is still open");
}

#[test]
fn l5_messages_without_end_are_cut_off() {
    let server = Server::start(&[]);
    let before = server.memory();
    // A frame that claims a gibibyte.
    let (mut socket, _) = server.enter();
    let _ = socket.raw(0x81, 1 << 30, b"{");
    assert!(socket.is_closed_within(Duration::from_secs(5)));
    // A message of fragments that never ends.
    let (mut socket, _) = server.enter();
    let piece = vec![b' '; 64 << 10];
    let sent = (0..1024).take_while(|k| socket.raw(u8::from(*k == 0), piece.len() as u64, &piece).is_ok()).count();
    assert!(sent < 1024, "64 MiB were swallowed");
    assert!(socket.is_closed_within(Duration::from_secs(5)));
    // The same before the token was said.
    let mut socket = server.socket();
    let _ = socket.raw(0x81, u64::MAX >> 1, b"{");
    assert!(socket.is_closed_within(Duration::from_secs(5)));
    // A head without end.
    let mut stream = server.connect();
    let line = format!("X-Filler: {}\r\n", "x".repeat(8000));
    let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: {}\r\n", server.host()).as_bytes());
    let sent = (0..1000).take_while(|_| stream.write_all(line.as_bytes()).is_ok()).count();
    assert!(sent < 1000, "8 MB of head were swallowed");
    if let (Some(before), Some(after)) = (before, server.memory()) {
        assert!(after < before + (64 << 20), "memory went from {before} to {after} bytes");
    }
    server.enter();
}

#[test]
fn l6_a_thousand_idle_sockets_are_capped_and_do_not_slow_the_simulation() {
    let directory = directory("view_l6");
    let scene = scene_file(&directory, "long", LONG_FLIGHT);
    let server = Server::start(&[&scene]);
    let (mut page, _) = server.enter();
    page.frame();
    let frames = |socket: &mut crate::visitor::Socket| socket.frames_within(Duration::from_secs(1)).len();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    // Windows with and without idle sockets by turns, so that other programs disturb both alike; three tries.
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (mut undisturbed, mut disturbed) = (0, 0);
        for _ in 0..4 {
            undisturbed += frames(&mut page);
            let idle: Vec<TcpStream> =
                (0..1000).filter_map(|_| TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()).collect();
            assert!(idle.len() > 500, "only {} sockets could be opened at all", idle.len());
            std::thread::sleep(Duration::from_millis(300));
            let open = idle.iter().filter(|stream| {
                stream.set_nonblocking(true).unwrap();
                matches!((&mut &**stream).read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
            });
            let open = open.count();
            assert!(open <= 64, "{open} idle sockets of one address are kept");
            disturbed += frames(&mut page);
        }
        if disturbed as f64 >= 0.95 * undisturbed as f64 {
            return;
        }
        seen.push((undisturbed, disturbed));
    }
    panic!("frames in four seconds without and with idle sockets: {seen:?}");
}

#[test]
fn l6_there_are_sixteen_seats() {
    let server = Server::start(&[]);
    let seated: Vec<_> = (0..16).map(|_| server.enter()).collect();
    let mut late = server.socket();
    late.say(&format!(r#"{{"type":"hello","token":"{}","version":1}}"#, server.token));
    assert_eq!(late.wait_for("error")["code"], 503);
    assert!(late.is_closed_within(Duration::from_secs(5)));
    drop(seated);
    std::thread::sleep(Duration::from_millis(500));
    server.enter();
}

/// More connections than there are places, each with a hundred requests for the largest file and nobody who reads: a page
/// still opens within five seconds.
#[test]
fn l6_pipelined_requests_that_nobody_reads_leave_room_for_a_page() {
    let server = Server::start(&[]);
    let (_, page) = server.get("/");
    // The script is the largest file, where the page was built.
    let script = page.split("src=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("/");
    let path = format!("/{}", script.trim_start_matches(['.', '/']));
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()).repeat(100);
    let silent: Vec<TcpStream> = (0..140)
        .map(|_| {
            let mut stream = server.connect();
            // What is closed already cannot be written to.
            let _ = stream.write_all(request.as_bytes());
            stream
        })
        .collect();
    let start = Instant::now();
    let opened = loop {
        if server.get("/").0 == 200 {
            break start.elapsed();
        }
        assert!(start.elapsed() < Duration::from_secs(5), "no page within five seconds");
        std::thread::sleep(Duration::from_millis(50));
    };
    eprintln!("a page opened after {opened:?} while {} connections were left unread", silent.len());
    server.enter();
}

/// A request that goes on for ever is ended by its size, one that never comes to its end by its time.
#[test]
fn l5_a_request_without_end_is_cut_off() {
    let server = Server::start(&[]);
    let mut endless = server.connect();
    let head = format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000000000000\r\n\r\n", server.host());
    endless.write_all(head.as_bytes()).unwrap();
    let sent = (0..4096).take_while(|_| endless.write_all(&[b'x'; 4096]).is_ok()).count();
    assert!(sent < 4096, "16 MiB of a body were taken");
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
    let (mut rest, start) = (Vec::new(), Instant::now());
    let _ = slow.read_to_end(&mut rest);
    assert!(start.elapsed() < Duration::from_secs(7), "still open after {:?}", start.elapsed());
}

#[test]
fn l7_there_are_no_files_to_be_had() {
    let server = Server::start(&[]);
    for path in [
        "/..%2f..%2fetc/passwd",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/assets/../../Cargo.toml",
        "/assets",
        "/assets/",
        "/.",
        "/index.html%00.js",
        "/INDEX.HTML",
        "/src/main.ts",
    ] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    let (status, page) = server.get("/index.html");
    assert_eq!(status, 200);
    let head = page.split("\r\n\r\n").next().unwrap().to_lowercase();
    for line in [
        "content-security-policy: default-src 'self';",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "x-frame-options: deny",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "content-type: text/html",
    ] {
        assert!(head.contains(line), "no '{line}' in {head}");
    }
    assert!(!head.contains("access-control"), "{head}");
    assert!(!head.contains("unsafe"), "{head}");
}

#[test]
fn l8_a_form_of_another_site_is_refused() {
    let server = Server::start(&["--control"]);
    let host = server.host();
    let post = |path: &str, origin: Option<&str>| {
        let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
        server
            .ask(&format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/x-www-form-urlencoded\r\n\
                 Content-Length: 16\r\nConnection: close\r\n\r\n{{\"type\":\"reset\"}}"
            ))
            .0
    };
    for path in ["/", "/live", "/anything"] {
        assert_eq!(post(path, None), 403);
        assert_eq!(post(path, Some("null")), 403);
        assert_eq!(post(path, Some("http://evil.com")), 403);
    }
    // Our own page may ask, and is told that there is nothing to post to.
    assert_eq!(post("/", Some(&format!("http://{host}"))), 405);
    let options = format!(
        "OPTIONS / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.com\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    );
    let (status, answer) = server.ask(&options);
    assert_eq!(status, 403);
    assert!(!answer.to_lowercase().contains("access-control-allow"));
}

#[test]
fn l9_nonsense_is_answered_with_an_error_and_the_session_goes_on() {
    let server = Server::start(&["--control"]);
    let (mut socket, _) = server.enter();
    let run = socket.wait_for("run");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let valid = [
        r#"{"type":"frames","epoch":1,"lane":0,"from":0,"to":9}"#,
        r#"{"type":"open","scene":"wall","lanes":[{"method":"exact"}]}"#,
        r#"{"type":"speed","factor":1}"#,
    ];
    let mut nonsense: Vec<String> = [
        "",
        "{}",
        "[]",
        "null",
        "1e999",
        "\u{0}",
        r#"{"type":"open"}"#,
        r#"{"type":"open","scene":"../../etc/passwd","lanes":[{}]}"#,
        r#"{"type":"open","scene":"wall","lanes":[]}"#,
        r#"{"type":"open","scene":"wall","lanes":[{},{},{}]}"#,
        r#"{"type":"open","scene":"wall","lanes":[{"method":"magic"}]}"#,
        r#"{"type":"open","scene":"wall","lanes":[{"max_iterations":0}]}"#,
        r#"{"type":"open","scene":"wall","lanes":[{"tolerance":-1}]}"#,
        r#"{"type":"frames","epoch":1,"lane":9,"from":0,"to":1}"#,
        r#"{"type":"frames","epoch":1,"lane":0,"from":5,"to":5}"#,
        r#"{"type":"frames","epoch":1,"lane":0,"from":9,"to":1}"#,
        r#"{"type":"frames","epoch":1,"lane":0,"from":0,"to":4294967295}"#,
        r#"{"type":"speed","factor":-1}"#,
        r#"{"type":"speed","factor":1e300}"#,
        r#"{"type":"hello","token":"","version":1}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    nonsense.push(format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)));
    // Cut anywhere, a valid request is none.
    nonsense.extend(valid.iter().flat_map(|text| (0..text.len()).map(|end| text[..end].to_owned())));
    for _ in 0..3000 {
        let mut bytes = valid[(random() % 3) as usize].as_bytes().to_vec();
        for _ in 0..1 + random() % 3 {
            let at = (random() as usize) % bytes.len();
            bytes[at] = 32 + (random() % 95) as u8;
        }
        let text = String::from_utf8(bytes).unwrap();
        // What is still a request by accident is not nonsense.
        let names = ["frames", "open", "speed", "pause", "resume", "step", "reset"];
        let parsed = serde_json::from_str::<Value>(&text).ok();
        if !parsed.is_some_and(|value| names.contains(&value["type"].as_str().unwrap_or(""))) {
            nonsense.push(text);
        }
    }
    for text in &nonsense {
        socket.say(text);
        let answer = socket.wait_for("error");
        assert!(answer["code"].as_u64().is_some_and(|code| (400..500).contains(&code)), "{text}: {answer}");
    }
    socket.raw(0x82, 3, &[0, 159, 146]).unwrap();
    assert_eq!(socket.wait_for("error")["code"], 400);
    socket.say(&format!(r#"{{"type":"frames","epoch":{},"lane":0,"from":0,"to":1}}"#, run["epoch"]));
    let deadline = Instant::now() + Duration::from_secs(10);
    while Message::Binary(socket.frame()).index() != Some(0) {
        assert!(Instant::now() < deadline, "the first frame does not come");
    }
}

/// Spheres that fly on for ever: no contacts, large frames, little work.
const LONG_FLIGHT: &str = r#"
name = "long"
duration = 1000.0
gravity = [0, 0, 0]
[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.1 } }
velocity = [1, 0, 0]
grid = { count = [20, 20, 10], spacing = [1, 1, 1] }
"#;

#[test]
fn l10_a_page_that_does_not_read_misses_frames_and_holds_nothing_up() {
    let directory = directory("view_l10");
    let scene = scene_file(&directory, "long", LONG_FLIGHT);
    // 208 kB a frame: the buffers of the system are full after fifty or so.
    let server = Server::start(&[&scene]);
    let (mut stalled, _) = server.enter();
    let (mut reading, _) = server.enter();
    let first = Message::Binary(stalled.frame()).index().unwrap();
    let mut seen = Vec::new();
    let start = Instant::now();
    while seen.len() < 240 && start.elapsed() < Duration::from_secs(15) {
        seen.push(Message::Binary(reading.frame()).index().unwrap());
    }
    assert!(seen.windows(2).all(|pair| pair[1] > pair[0]));
    assert!(seen.len() > 120, "the other page got {} frames in 15 s", seen.len());
    // What was in the buffers comes first; then there must be a jump to the present.
    let mut late = vec![first];
    while *late.last().unwrap() < *seen.last().unwrap() {
        late.push(Message::Binary(stalled.frame()).index().unwrap());
    }
    let jump = late.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(jump > 30, "the largest jump among {} frames after frame {first} is {jump}", late.len());
    if let Some(memory) = server.memory() {
        assert!(memory < 600 << 20, "{memory} bytes in use");
    }
}

#[test]
fn l11_names_reach_the_page_as_they_are() {
    let directory = directory("view_l11");
    let name = r#"<img src=x onerror=alert(1)>"#;
    let text = format!("name = '{name}'\n[[bodies]]\nname = '{name}'\nshape = {{ sphere = {{ radius = 0.5 }} }}\n");
    let server = Server::start(&[&scene_file(&directory, "names", &text)]);
    let (mut socket, _) = server.enter();
    let run = socket.wait_for("run");
    assert_eq!(run["scene"]["name"], name);
    assert_eq!(run["scene"]["bodies"][0]["name"], name);
    // The page never writes markup: no such call is in its sources.
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer/src");
    for entry in std::fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!text.contains(forbidden), "{} uses {forbidden}", path.display());
        }
    }
}

fn view(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_signorini")).arg("view").args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn l12_a_taken_port_is_said_to_be_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, message) = view(&["--port", &port]);
    assert_eq!(code, Some(2));
    assert!(message.contains(&format!("port {port} is taken")) && message.contains("--port 0"), "{message}");
}

#[test]
fn l13_other_machines_only_on_purpose_and_with_the_token() {
    for address in ["0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1"] {
        let (code, message) = view(&["--listen", address, "--port", "0"]);
        assert_eq!(code, Some(2), "{address}");
        assert!(message.contains("--expose"), "{message}");
    }
    let server = Server::start(&["--listen", "0.0.0.0", "--expose"]);
    // The host must still be the address that was called, and the token is still needed.
    assert_eq!(server.get("/").0, 200);
    let (status, _) = server.ask("GET / HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n\r\n");
    assert_eq!(status, 403);
    let mut socket = server.socket();
    socket.say(r#"{"type":"hello","token":"00000000000000000000000000000000","version":1}"#);
    assert_eq!(socket.wait_for("error")["code"], 401);
    server.enter();
}

#[test]
fn without_control_nothing_can_be_changed() {
    let server = Server::start(&[]);
    let (mut socket, welcome) = server.enter();
    assert_eq!(welcome["control"], false);
    for order in [
        r#"{"type":"pause"}"#,
        r#"{"type":"reset"}"#,
        r#"{"type":"speed","factor":2}"#,
        r#"{"type":"open","scene":"seesaw","lanes":[{}]}"#,
    ] {
        socket.say(order);
        assert_eq!(socket.wait_for("error")["code"], 403, "{order}");
    }
}
