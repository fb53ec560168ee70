//! A server for pages on this machine: answers GET on the loopback device, one request per connection. Anything that a
//! page for local eyes does not need is refused.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Longest head of a request, in bytes.
const LONGEST_HEAD: u64 = 16 << 10;

/// How long a client may be silent.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request for a page.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// The path, as `/runs/12`.
    pub path: String,
    /// Names and values of the query, decoded.
    query: Vec<(String, String)>,
}

impl Request {
    /// The first value in the query with this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// A status of an answer: its number and reason (RFC 9110, 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub &'static str);

impl Status {
    pub const OK: Self = Self("200 OK");
    pub const BAD_REQUEST: Self = Self("400 Bad Request");
    pub const NOT_FOUND: Self = Self("404 Not Found");
    pub const METHOD_NOT_ALLOWED: Self = Self("405 Method Not Allowed");
    pub const MISDIRECTED_REQUEST: Self = Self("421 Misdirected Request");
    pub const INTERNAL_SERVER_ERROR: Self = Self("500 Internal Server Error");
}

/// An answer: a page, or a text without a request that could be understood.
pub struct Answer {
    pub status: Status,
    pub page: String,
}

/// A listening server.
pub struct Server {
    listener: TcpListener,
    /// The names by which a browser may call it.
    hosts: [String; 2],
}

impl Server {
    /// Listens on `port` of the loopback device; 0 is a free port.
    pub fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = match listener.local_addr()?.port() {
            80 => String::new(),
            port => format!(":{port}"),
        };
        Ok(Self { listener, hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}{port}")) })
    }

    /// The address of the first page.
    pub fn address(&self) -> String {
        format!("http://{}/", self.hosts[0])
    }

    /// Answers requests until the process ends, each connection in its own thread: browsers open some in advance.
    pub fn answer_all(self, policy: String, answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        let (hosts, shared) = (self.hosts, Arc::new((policy, answer)));
        for stream in self.listener.incoming().flatten() {
            let (hosts, shared) = (hosts.clone(), Arc::clone(&shared));
            let handle = move || {
                let (policy, answer) = &*shared;
                // A client that is gone gets no answer.
                let _ = converse(&stream, &hosts, policy, answer);
            };
            // Without a thread the connection closes.
            let _ = thread::Builder::new().name("page".to_owned()).spawn(handle);
        }
    }
}

fn converse(
    mut stream: &TcpStream,
    hosts: &[String],
    policy: &str,
    answer: impl Fn(&Request) -> Answer,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let lines = BufReader::new(stream.take(LONGEST_HEAD)).lines();
    let head: Vec<String> =
        lines.take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty())).flatten().collect();
    let answer = match request(&head, hosts) {
        Ok(request) => answer(&request),
        Err(status) => Answer { status, page: format!("<!DOCTYPE html><title>{0}</title>{0}\n", status.0) },
    };
    let Answer { status, page } = answer;
    write!(
        stream,
        "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Content-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nAllow: GET\r\n\r\n",
        status.0,
        page.len(),
    )?;
    stream.write_all(page.as_bytes())?;
    // What is left unread would reset the connection before the client has the answer.
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut stream.take(LONGEST_HEAD << 6), &mut io::sink()).map(drop)
}

/// The request in the lines of a head (RFC 9112). A page of another site that made its name point to this machine (DNS
/// rebinding) calls this server by that name, which is not among `hosts`.
fn request(head: &[String], hosts: &[String]) -> Result<Request, Status> {
    let (first, fields) = head.split_first().ok_or(Status::BAD_REQUEST)?;
    let [method, target, version] = first.split(' ').collect::<Vec<_>>()[..] else { return Err(Status::BAD_REQUEST) };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err(Status::BAD_REQUEST);
    }
    let fields = fields.iter().filter_map(|field| field.split_once(':'));
    let named: Vec<&str> =
        fields.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, value)| value.trim()).collect();
    let is_own = |name: &str| hosts.iter().any(|host| host.eq_ignore_ascii_case(name));
    if named.len() != 1 || !is_own(named[0]) {
        return Err(Status::MISDIRECTED_REQUEST);
    }
    if method != "GET" {
        return Err(Status::METHOD_NOT_ALLOWED);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Some((decoded(name)?, decoded(value)?))
    };
    let query = query.split('&').filter(|text| !text.is_empty()).map(pair);
    let query = query.collect::<Option<_>>().ok_or(Status::BAD_REQUEST)?;
    Ok(Request { path: path.to_owned(), query })
}

/// A name or value of a query (<https://url.spec.whatwg.org/#application/x-www-form-urlencoded>).
fn decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => 16 * digit(bytes.next()?)? + digit(bytes.next()?)?,
            other => other,
        });
    }
    String::from_utf8(plain).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// A value for a query, encoded.
pub fn encoded(text: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let one = |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(lines: &[&str]) -> Result<Request, Status> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        request(&lines, &["127.0.0.1:80".to_owned(), "localhost:80".to_owned()])
    }

    #[test]
    fn a_request_has_a_path_and_a_query() {
        let request = asked(&["GET /history?workload=a%2Fb+c%25&x HTTP/1.1", "HOST:  localhost:80"]).expect("sound");
        assert_eq!((request.path.as_str(), request.value("workload")), ("/history", Some("a/b c%")));
        assert_eq!((request.value("x"), request.value("y")), (Some(""), None));
    }

    #[test]
    fn encoded_text_is_decoded() {
        for text in ["create-fsync", "a@50%+x", "naïve = 1&2", ""] {
            assert_eq!(decoded(&encoded(text)).as_deref(), Some(text));
        }
    }

    #[test]
    fn only_this_machine_may_be_asked_for() {
        for host in ["evil.example", "127.0.0.1:81", "127.0.0.1", "localhost:80.evil.example", ""] {
            let field = format!("Host: {host}");
            assert_eq!(asked(&["GET / HTTP/1.1", &field]), Err(Status::MISDIRECTED_REQUEST), "{host}");
        }
        assert_eq!(asked(&["GET / HTTP/1.1"]), Err(Status::MISDIRECTED_REQUEST));
        let two = ["GET / HTTP/1.1", "Host: localhost:80", "Host: evil.example"];
        assert_eq!(asked(&two), Err(Status::MISDIRECTED_REQUEST));
    }

    #[test]
    fn malformed_requests_are_refused() {
        let host = "Host: localhost:80";
        for first in ["", "GET /", "GET  / HTTP/1.1", "GET / HTTP/2", "GET http://x/ HTTP/1.1", "GET /?a=%f HTTP/1.1"] {
            assert_eq!(asked(&[first, host]), Err(Status::BAD_REQUEST), "{first}");
        }
        assert_eq!(asked(&["GET /?a=%ff HTTP/1.1", host]), Err(Status::BAD_REQUEST));
        assert_eq!(asked(&["POST / HTTP/1.1", host]), Err(Status::METHOD_NOT_ALLOWED));
        assert_eq!(asked(&[]), Err(Status::BAD_REQUEST));
    }

    #[test]
    fn hostile_requests() {
        let good =
            ["GET /runs/1 HTTP/1.1\nHost: localhost:80", "GET /diff?before=1&after=2 HTTP/1.1\nHost: localhost:80"];
        fsarena_testing::fuzz::texts(&good, |text| drop(asked(&text.lines().collect::<Vec<_>>())));
    }
}
