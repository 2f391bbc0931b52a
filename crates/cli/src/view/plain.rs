//! A plain HTTP connection, with limits on what the client may send and how long it may refuse to read.
//!
//! A client that never reads would keep an answer in the buffers of the system, and occupy a connection. So a
//! connection ends after a write without progress for [`STALL`], and after a request that does not end. These limits
//! do not apply once the connection has become a WebSocket; the session has its own.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Longest time that a write may make no progress.
const STALL: Duration = Duration::from_secs(3);
/// Most bytes that a plain HTTP client may send: one head, and a body that is ignored.
const MOST_BYTES: usize = 64 << 10;

/// Signals that a connection has become a WebSocket.
#[derive(Clone, Debug, Default)]
pub struct Upgraded(Arc<AtomicBool>);

impl Upgraded {
    /// Removes the limits of plain HTTP.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The stream with its limits.
pub struct Plain {
    stream: TcpStream,
    upgraded: Upgraded,
    received: usize,
    stalled: Pin<Box<Sleep>>,
    /// Whether the last write had to wait.
    waits: bool,
}

impl Plain {
    /// A stream that was just accepted.
    pub fn new(stream: TcpStream, upgraded: Upgraded) -> Self {
        Plain { stream, upgraded, received: 0, stalled: Box::pin(sleep(STALL)), waits: false }
    }

    /// Waits for a write at most [`STALL`].
    fn patience<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = false;
            return written;
        }
        if self.upgraded.is_set() {
            return Poll::Pending;
        }
        if !self.waits {
            self.waits = true;
            self.stalled.as_mut().reset(Instant::now() + STALL);
        }
        self.stalled.as_mut().poll(context).map(|()| Err(io::Error::from(io::ErrorKind::TimedOut)))
    }
}

impl AsyncRead for Plain {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if !self.upgraded.is_set() {
            self.received += buffer.filled().len() - before;
            if self.received > MOST_BYTES {
                return Poll::Ready(Err(io::Error::from(io::ErrorKind::FileTooLarge)));
            }
        }
        read
    }
}

impl AsyncWrite for Plain {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patience(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.patience(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
