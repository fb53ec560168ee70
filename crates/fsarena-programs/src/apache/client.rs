//! A client for HTTP/1.0 with one connection per request, like ab without `-k`.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use fsarena_engine::EngineError;

/// Timeout of a read from the server.
const PATIENCE: Duration = Duration::from_secs(60);

/// Requests `path` from the server at `address` and returns the page. `answer` is a buffer that is used again.
pub fn get<'a>(address: SocketAddr, path: &str, answer: &'a mut Vec<u8>) -> Result<&'a [u8], EngineError> {
    answer.clear();
    ask(address, path, answer).map_err(EngineError::io(format!("get /{path}")))?;
    body(answer).map_err(|what| EngineError::Wrong(format!("Apache answers to /{path} {what}")))
}

fn ask(address: SocketAddr, path: &str, answer: &mut Vec<u8>) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(format!("GET /{path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes())?;
    stream.read_to_end(answer).map(|_| ())
}

/// The page in a complete answer with status 200.
fn body(answer: &[u8]) -> Result<&[u8], String> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("without an end of the header")?;
    let header = String::from_utf8_lossy(&answer[..end]);
    let status = header.lines().next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        return Err(format!("`{status}`"));
    }
    let page = &answer[end + 4..];
    let length = header.lines().find_map(|line| line.strip_prefix("Content-Length:")?.trim().parse::<usize>().ok());
    match length == Some(page.len()) {
        true => Ok(page),
        false => Err(format!("with {} bytes, and a Content-Length of {length:?}", page.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_page_is_one() {
        let of = |text: &str| body(text.as_bytes()).map(|page| String::from_utf8_lossy(page).into_owned());
        assert_eq!(of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), Ok("ab".to_owned()));
        for (text, what) in [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nab", "404"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "2 bytes"),
            ("HTTP/1.1 200 OK\r\n", "without an end"),
        ] {
            assert!(of(text).is_err_and(|error| error.contains(what)), "{text}");
        }
    }
}
