//! Access control of the server: a token that is part of the printed address only, and exact checks of `Host` and
//! `Origin`.
//!
//! A page of another site may make a browser send requests here. It cannot read the token, it cannot choose `Host`
//! beyond a name that it owns (DNS rebinding), and it cannot forge `Origin`. So: `Host` must be the address the
//! connection came in on, parsed and compared as an address, never as a prefix; and a WebSocket, or anything that is
//! not GET or HEAD, needs the `Origin` of that very host.

use super::ViewError;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use std::fmt::Write;
use std::hint::black_box;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// 128 bits from the operating system, new in every run.
pub struct Token(String);

impl Token {
    /// A new token.
    pub fn new() -> Result<Self, ViewError> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|cause| ViewError::Randomness { cause: cause.to_string() })?;
        let mut text = String::with_capacity(32);
        for byte in bytes {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Token(text))
    }

    /// Text of the token in the address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. Takes equal time for all guesses of the right length.
    pub fn matches(&self, guess: &str) -> bool {
        let (own, guess) = (self.0.as_bytes(), guess.as_bytes());
        if own.len() != guess.len() {
            return false;
        }
        let difference = own.iter().zip(guess).fold(0_u8, |sum, (a, b)| black_box(sum | (a ^ b)));
        black_box(difference) == 0
    }
}

/// Whether a request for `uri` with these headers may be answered on a connection to `local`.
pub fn check(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    local: SocketAddr,
    socket: bool,
) -> Result<(), StatusCode> {
    let host = only(headers, HOST).ok_or(StatusCode::FORBIDDEN)?;
    if !names(host, local) || uri.authority().is_some_and(|authority| authority.as_str() != host) {
        return Err(StatusCode::FORBIDDEN);
    }
    if socket || !(method == Method::GET || method == Method::HEAD) {
        let origin = only(headers, ORIGIN).ok_or(StatusCode::FORBIDDEN)?;
        if origin.strip_prefix("http://") != Some(host) {
            return Err(StatusCode::FORBIDDEN);
        }
    }
    Ok(())
}

/// The value of a header that occurs exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

/// Whether a `Host` is the local address of the connection; `localhost` names every loopback address.
fn names(host: &str, local: SocketAddr) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) => (name.parse::<Ipv6Addr>().ok().map(IpAddr::V6), port),
            None => return false,
        },
        None => {
            let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
            if name == "localhost" && local.ip().to_canonical().is_loopback() {
                return port_is(port, local.port());
            }
            (name.parse().ok().map(IpAddr::V4), port)
        }
    };
    name == Some(local.ip().to_canonical()) && port_is(port, local.port())
}

/// Whether the port is `:7117`, or missing for port 80.
fn port_is(text: &str, port: u16) -> bool {
    match text.strip_prefix(':') {
        None => text.is_empty() && port == 80,
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()) && digits.parse() == Ok(port),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_host_is_the_address_of_the_connection_and_nothing_like_it() {
        let four = address("127.0.0.1:7117");
        for host in ["127.0.0.1:7117", "localhost:7117"] {
            assert!(names(host, four), "{host}");
        }
        for host in [
            "",
            ":7117",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:80",
            "127.0.0.1:+7117",
            "127.0.0.1:7117 ",
            "127.0.0.1:71170",
            "127.0.0.1.evil.com:7117",
            "localhost.evil.com:7117",
            "evil.com:7117",
            "evil.com",
            "127.0.0.2:7117",
            "127.1:7117",
            "2130706433:7117",
            "0177.0.0.1:7117",
            "user@127.0.0.1:7117",
            "127.0.0.1:7117:7117",
            "[::1]:7117",
            "[127.0.0.1]:7117",
            "LOCALHOST:7117",
        ] {
            assert!(!names(host, four), "{host}");
        }
        let six = address("[::1]:7117");
        assert!(names("[::1]:7117", six) && names("localhost:7117", six));
        for host in ["::1:7117", "[::1]", "[::1]7117", "[::1:7117", "[::1].evil.com:7117", "127.0.0.1:7117"] {
            assert!(!names(host, six), "{host}");
        }
        assert!(names("localhost", address("127.0.0.1:80")));
        let lan = address("192.168.1.5:7117");
        assert!(names("192.168.1.5:7117", lan));
        assert!(!names("localhost:7117", lan));
    }

    fn headers(list: &[(HeaderName, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_socket_and_a_post_need_the_origin_of_their_host() {
        let local = address("127.0.0.1:7117");
        let uri: Uri = "/live".parse().unwrap();
        let verdict = |list: &[(HeaderName, &str)], method: Method, socket: bool| {
            check(&method, &uri, &headers(list), local, socket).is_ok()
        };
        let host = (HOST, "127.0.0.1:7117");
        let own = (ORIGIN, "http://127.0.0.1:7117");
        assert!(verdict(std::slice::from_ref(&host), Method::GET, false));
        assert!(verdict(&[host.clone(), own.clone()], Method::GET, true));
        assert!(!verdict(std::slice::from_ref(&host), Method::GET, true));
        assert!(!verdict(std::slice::from_ref(&host), Method::POST, false));
        assert!(!verdict(&[], Method::GET, false));
        for foreign in [
            "null",
            "http://evil.com",
            "https://127.0.0.1:7117",
            "http://127.0.0.1.evil.com:7117",
            "http://127.0.0.1",
            "http://localhost:7117",
            "http://127.0.0.1:7117/",
            "http://127.0.0.1:71170",
        ] {
            let list = [host.clone(), (ORIGIN, foreign)];
            assert!(!verdict(&list, Method::GET, true), "{foreign}");
            assert!(!verdict(&list, Method::POST, false), "{foreign}");
        }
        let mut twice = headers(&[host, own]);
        twice.append(HOST, "127.0.0.1:7117".parse().unwrap());
        assert!(check(&Method::GET, &uri, &twice, local, false).is_err());
    }

    #[test]
    fn an_absolute_request_names_the_same_host() {
        let local = address("127.0.0.1:7117");
        let list = headers(&[(HOST, "127.0.0.1:7117")]);
        let ask = |uri: &str| check(&Method::GET, &uri.parse().unwrap(), &list, local, false).is_ok();
        assert!(ask("http://127.0.0.1:7117/"));
        assert!(!ask("http://evil.com/"));
    }

    #[test]
    fn a_token_is_32_digits_and_no_two_are_equal() {
        let (one, two) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.text().len(), 32);
        assert!(one.matches(one.text()));
        assert!(!one.matches(two.text()));
        for guess in ["", &one.text()[..31], &format!("{}0", one.text()), &one.text().to_uppercase()[..0]] {
            assert!(!one.matches(guess));
        }
    }
}
