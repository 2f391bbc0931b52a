//! A visitor of `signorini view` who speaks HTTP and WebSocket byte by byte, and may therefore be rude.

#![allow(dead_code)]

use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server; ends with its owner.
pub struct Server {
    child: Child,
    pub port: u16,
    pub token: String,
}

impl Server {
    /// `signorini view` with these arguments, on a free port.
    pub fn start(arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_signorini"))
            .args(["view", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.by_ref().map(Result::unwrap).find(|line| line.contains("http://")).unwrap();
        let (front, token) = address.trim().split_once("/#token=").unwrap();
        let port = front.rsplit_once(':').unwrap().1.parse().unwrap();
        let token = token.to_owned();
        // The rest of the output has nowhere to go once the reader is gone; the server must not mind.
        Server { child, port, token }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the server as Ctrl-C does, and returns its exit code.
    pub fn interrupt(&mut self) -> Option<i32> {
        let sent = Command::new("kill").args(["-INT", &self.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], self.port))).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends a request as it is and returns the status and everything else.
    pub fn ask(&self, request: &str) -> (u16, String) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, text)
    }

    /// A GET with the right host, on a connection that closes.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host()))
    }

    /// The status of an attempt to open a WebSocket, and the socket.
    pub fn upgrade(&self, host: &str, origin: Option<&str>) -> (u16, Socket) {
        let mut stream = self.connect();
        let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
        let request = format!(
            "GET /live HTTP/1.1\r\nHost: {host}\r\n{origin}Upgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head);
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, Socket { stream })
    }

    /// A socket with the right origin that has said nothing yet.
    pub fn socket(&self) -> Socket {
        let (status, socket) = self.upgrade(&self.host(), Some(&format!("http://{}", self.host())));
        assert_eq!(status, 101);
        socket
    }

    /// A socket that was let in, and the `welcome`.
    pub fn enter(&self) -> (Socket, Value) {
        let mut socket = self.socket();
        socket.say(&format!(r#"{{"type":"hello","token":"{}","version":1}}"#, self.token));
        let Some(Message::Text(welcome)) = socket.read() else { panic!("no welcome") };
        let welcome: Value = serde_json::from_str(&welcome).unwrap();
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        (socket, welcome)
    }

    /// Memory in use [bytes], where the system tells.
    pub fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
pub enum Message {
    Text(String),
    Binary(Vec<u8>),
    Close(u16),
}

impl Message {
    /// Number of a frame.
    pub fn index(&self) -> Option<u32> {
        match self {
            Message::Binary(bytes) => Some(u32::from_le_bytes(bytes[12..16].try_into().unwrap())),
            _ => None,
        }
    }
}

pub struct Socket {
    pub stream: TcpStream,
}

impl Socket {
    /// A frame with any first byte and any claimed length. The mask is zero.
    pub fn raw(&mut self, first: u8, length: u64, payload: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![first];
        match length {
            0..126 => frame.push(0x80 | length as u8),
            126..0x1_0000 => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&(length as u16).to_be_bytes());
            }
            _ => {
                frame.push(0x80 | 127);
                frame.extend_from_slice(&length.to_be_bytes());
            }
        }
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(payload);
        self.stream.write_all(&frame)
    }

    pub fn say(&mut self, text: &str) {
        self.raw(0x81, text.len() as u64, text.as_bytes()).unwrap();
    }

    /// The next message; none when the other side has gone.
    pub fn read(&mut self) -> Option<Message> {
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head).ok()?;
            let length = match head[1] {
                126 => {
                    let mut bytes = [0; 2];
                    self.stream.read_exact(&mut bytes).ok()?;
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.stream.read_exact(&mut bytes).ok()?;
                    u64::from_be_bytes(bytes)
                }
                short => u64::from(short),
            };
            let mut payload = vec![0; usize::try_from(length).unwrap()];
            self.stream.read_exact(&mut payload).ok()?;
            match head[0] & 0x0f {
                1 => return Some(Message::Text(String::from_utf8(payload).unwrap())),
                2 => return Some(Message::Binary(payload)),
                8 => {
                    let code = payload.get(..2).map_or(1005, |code| u16::from_be_bytes([code[0], code[1]]));
                    return Some(Message::Close(code));
                }
                _ => {}
            }
        }
    }

    /// The next JSON message of this type; others are passed over.
    pub fn wait_for(&mut self, kind: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            if let Message::Text(text) = self.read().unwrap_or_else(|| panic!("closed while waiting for {kind}")) {
                let value: Value = serde_json::from_str(&text).unwrap();
                if value["type"] == kind {
                    return value;
                }
            }
        }
        panic!("no {kind} came");
    }

    /// The next frame.
    pub fn frame(&mut self) -> Vec<u8> {
        loop {
            match self.read() {
                Some(Message::Binary(bytes)) => return bytes,
                Some(Message::Text(_)) => {}
                other => panic!("no frame but {other:?}"),
            }
        }
    }

    /// Numbers of the frames that come within a time.
    pub fn frames_within(&mut self, time: Duration) -> Vec<u32> {
        let deadline = Instant::now() + time;
        let mut indices = Vec::new();
        while Instant::now() < deadline {
            match self.read() {
                Some(message) => indices.extend(message.index()),
                None => break,
            }
        }
        indices
    }

    /// Whether the other side ends it before the time to read is over.
    pub fn is_closed_within(&mut self, time: Duration) -> bool {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let mut byte = [0; 4096];
        loop {
            match self.stream.read(&mut byte) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return false,
                Err(_) => return true,
            }
        }
    }
}

/// A scene file in a temporary directory.
pub fn scene_file(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(format!("{name}.toml"));
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// An empty directory for one test.
pub fn directory(name: &str) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}
