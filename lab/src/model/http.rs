//! As much of HTTP/1.1 as the agents' own clients speak to a model server: a request with its body in, an answer
//! whole or in pieces out.
//!
//! Not here: what is answered. No TLS, no compression, no pipelining.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use super::dialect::Frame;

/// Bytes of a head, and of a body: beyond them it is no agent that asks.
const HEAD_LIMIT: usize = 64 * 1024;
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    /// `GET`, `POST`, …
    pub(crate) method: String,
    /// The path, without its query.
    pub(crate) path: String,
    /// The body, its chunks put together.
    pub(crate) body: Vec<u8>,
}

/// Reads the next request of a connection; None at its end.
///
/// # Errors
///
/// What the connection says, or that this is no HTTP.
pub(crate) fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let Some(head) = read_head(reader)? else { return Ok(None) };
    let mut headers = [httparse::EMPTY_HEADER; 128];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(&head).map_err(|error| bad(&format!("no HTTP request: {error}")))?;
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok()
    };
    let (method, target) = (parsed.method.unwrap_or_default(), parsed.path.unwrap_or_default());
    if header("expect").is_some() {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let chunked = header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    let length: usize = header("content-length").and_then(|value| value.trim().parse().ok()).unwrap_or(0);
    let request = Request {
        method: method.to_owned(),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        body: Vec::new(),
    };
    let body = if chunked { read_chunks(reader)? } else { read_exactly(reader, length)? };
    Ok(Some(Request { body, ..request }))
}

fn read_head(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        reader.by_ref().take(HEAD_LIMIT as u64).read_until(b'\n', &mut head)?;
        match &head[before..] {
            [] => return Ok(None),
            // Empty lines before a request are nothing.
            b"\r\n" if before == 0 => head.clear(),
            b"\r\n" => return Ok(Some(head)),
            _ if head.len() > HEAD_LIMIT => return Err(bad("a head without end")),
            _ => {}
        }
    }
}

fn read_exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > BODY_LIMIT {
        return Err(bad("a body without end"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size, 16).map_err(|_| bad("a chunk without a size"))?;
        if body.len() + size > BODY_LIMIT {
            return Err(bad("a body without end"));
        }
        body.extend(read_exactly(reader, size)?);
        let mut end = String::new();
        reader.read_line(&mut end)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Answers with a JSON document.
///
/// # Errors
///
/// That nobody reads any more.
pub(crate) fn json(out: &mut impl Write, status: u16, document: &serde_json::Value) -> io::Result<()> {
    let body = document.to_string();
    let reason = if status == 200 { "OK" } else { "No" };
    write!(
        out,
        "HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    out.flush()
}

/// An answer of server-sent events, each written as it comes.
pub(crate) struct Events<'a, W: Write> {
    out: &'a mut W,
}

impl<'a, W: Write> Events<'a, W> {
    /// Writes the head.
    ///
    /// # Errors
    ///
    /// That nobody reads any more; as the others here.
    pub(crate) fn begin(out: &'a mut W) -> io::Result<Self> {
        out.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
              transfer-encoding: chunked\r\n\r\n",
        )?;
        out.flush()?;
        Ok(Events { out })
    }

    /// Some events, in one piece.
    pub(crate) fn write(&mut self, frames: &[Frame]) -> io::Result<()> {
        self.out.write_all(&chunks(frames))?;
        self.out.flush()
    }

    /// The last events and the end, in one piece.
    pub(crate) fn end(self, frames: &[Frame]) -> io::Result<()> {
        let mut bytes = chunks(frames);
        bytes.extend(b"0\r\n\r\n");
        self.out.write_all(&bytes)?;
        self.out.flush()
    }
}

/// Each event in a chunk of its own, with its name where the dialect has names.
fn chunks(frames: &[Frame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, data) in frames {
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        let text = format!("{name}data: {data}\n\n");
        bytes.extend(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes());
    }
    bytes
}
