//! HTTP on the loopback interface: the page, and a WebSocket.

use super::ViewError;
use super::access;
use super::assets;
use super::places::{Place, Places};
use super::plain::{Plain, Upgraded};
use super::session::{self, Shared};
use crate::interrupt::Interrupt;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Most pages at a time.
pub const MOST_PAGES: usize = 16;
/// Interval at which interrupts are looked for.
const LOOK: Duration = Duration::from_millis(50);
/// Longest time for the head of a request to arrive.
const HEADER_TIME: Duration = Duration::from_secs(4);
/// Longest time for a request and its answer together.
const REQUEST_TIME: Duration = Duration::from_secs(60);
/// Longest message from a page [bytes].
const MOST_BYTES: usize = 1 << 20;
/// Longest head of a request [bytes].
const MOST_HEAD_BYTES: usize = 32 << 10;
/// Path of the WebSocket.
const SOCKET: &str = "/live";

/// The sockets to listen on. All use the port of the first.
pub fn listen(address: Option<IpAddr>, port: u16) -> Result<Vec<TcpListener>, ViewError> {
    let bind = |address: SocketAddr| {
        let listener = TcpListener::bind(address);
        listener.and_then(|listener| listener.set_nonblocking(true).map(|()| listener)).map_err(|cause| {
            if cause.kind() == ErrorKind::AddrInUse {
                ViewError::PortTaken { port }
            } else {
                ViewError::Listen { address, cause }
            }
        })
    };
    if let Some(address) = address {
        return Ok(vec![bind(SocketAddr::new(address, port))?]);
    }
    let first = bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port))?;
    let port = first.local_addr().map_or(port, |address| address.port());
    let mut listeners = vec![first];
    // A machine without IPv6 has no ::1.
    listeners.extend(bind(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port)));
    Ok(listeners)
}

/// Data about the connection of a request.
#[derive(Clone)]
struct Connection {
    local: SocketAddr,
    /// Dropped when the connection is done, including a WebSocket.
    _place: Arc<Place>,
    upgraded: Upgraded,
}

/// Serves until an interrupt.
pub async fn serve(listeners: Vec<TcpListener>, shared: Arc<Shared>, interrupt: &Interrupt) -> std::io::Result<()> {
    let router = Router::new().route(SOCKET, any(socket)).fallback(asset).layer(from_fn(guard)).with_state(shared);
    let places = Arc::new(Places::default());
    for listener in listeners {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::spawn(accept(listener, router.clone(), places.clone()));
    }
    while !interrupt.asked() {
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

async fn accept(listener: tokio::net::TcpListener, router: Router, places: Arc<Places>) {
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // The process is out of file descriptors, or the client has gone.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // A connection beyond the limits is closed at once.
        let (Some(place), Ok(local)) = (places.take(peer.ip().to_canonical()), stream.local_addr()) else { continue };
        // Frames are sent whole: waiting for more data would only delay them.
        let _ = stream.set_nodelay(true);
        let upgraded = Upgraded::default();
        let connection = Connection { local, _place: Arc::new(place), upgraded: upgraded.clone() };
        let service = TowerToHyperService::new(router.clone().layer(Extension(connection)));
        tokio::spawn(async move {
            let serving = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .max_buf_size(MOST_HEAD_BYTES)
                .serve_connection(TokioIo::new(Plain::new(stream, upgraded)), service)
                .with_upgrades();
            // An error of a connection ends that connection only. A WebSocket continues in a task of its own.
            let _ = timeout(REQUEST_TIME, serving).await;
        });
    }
}

/// Answers allowed requests only, with headers that make the browser strict.
async fn guard(Extension(connection): Extension<Connection>, request: Request, next: Next) -> Response {
    let socket = request.uri().path() == SOCKET;
    let verdict = access::check(request.method(), request.uri(), request.headers(), connection.local, socket);
    let host = request.headers().get(HOST).cloned();
    let mut response = match verdict {
        Ok(()) => next.run(request).await,
        Err(status) => status.into_response(),
    };
    // Some browsers do not count the WebSocket of the same host as 'self'.
    let own_socket = match (verdict, host.as_ref().and_then(|host| host.to_str().ok())) {
        (Ok(()), Some(host)) => format!(" ws://{host}"),
        _ => String::new(),
    };
    let policy = format!(
        "default-src 'self'; connect-src 'self'{own_socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let upgraded = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    if !upgraded {
        // One request per connection: a client cannot fill a queue of requests that it never reads.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let mut set = |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(X_FRAME_OPTIONS, "DENY");
    set(REFERRER_POLICY, "no-referrer");
    set(CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

async fn asset(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    match assets::find(request.uri().path()) {
        Some(asset) => ([(CONTENT_TYPE, asset.media_type)], Body::from(asset.bytes)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn socket(
    State(shared): State<Arc<Shared>>,
    Extension(connection): Extension<Connection>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.max_message_size(MOST_BYTES).max_frame_size(MOST_BYTES).on_upgrade(async move |socket| {
        connection.upgraded.set();
        session::serve(socket, shared).await;
        drop(connection);
    })
}
