//! The task `pages`: threads of fsarena request many pages, each once, in a random order, and check the answers. They
//! speak HTTP/1.0 with one connection per request, like ab without `-k`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fsarena_engine::workers::{Timer, Worker, WorkerStyle, Workers};
use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_model::seed::{generator, scatter};
use fsarena_sys::clock;
use rand::Rng;
use rand::seq::SliceRandom;

use super::server::{Httpd, OPEN};
use super::{HEAD, RequestSource, ServedPages};
use crate::folder;

const IN_A_FOLDER: u32 = 100;

pub struct ManyPages {
    contents: PageContents,
    order: Vec<u32>,
}

struct PageContents {
    seed: u64,
    parameters: ServedPages,
    /// Random bytes, which cannot be compressed. Each page is another piece of them.
    pool: Vec<u8>,
}

impl ManyPages {
    /// Sizes, bytes and the order of the pages follow from `seed`.
    pub fn new(parameters: ServedPages, seed: u64) -> Self {
        let mut order: Vec<u32> = (0..parameters.pages).collect();
        order.shuffle(&mut generator(seed, "apache order", &[]));
        Self { contents: PageContents::new(parameters, seed), order }
    }
}

/// A client, which takes the next page that no other client has taken.
struct PageClient<'a> {
    pages: &'a ManyPages,
    next: &'a AtomicUsize,
    address: SocketAddr,
    answer: Vec<u8>,
    answered: u64,
}

impl Worker for PageClient<'_> {
    /// Each answer is checked after its time is taken.
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let mut meter = timer.start()?;
        while !meter.is_over()
            && let Some(page) = self.pages.order.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            let begin = clock::now();
            let body = get(self.address, &path_of(*page), &mut self.answer)?;
            meter.done(Operation::Run, begin, body.len() as u64);
            self.pages.contents.require(*page, body)?;
            self.answered += 1;
        }
        meter.stop();
        Ok(())
    }
}

/// Path of a page, such as `0012/34.html`.
fn path_of(page: u32) -> String {
    format!("{:04}/{:02}.html", page / IN_A_FOLDER, page % IN_A_FOLDER)
}

impl PageContents {
    fn new(parameters: ServedPages, seed: u64) -> Self {
        // A page can begin at more offsets of the pool than there are pages.
        let mut pool = vec![0; (8 << 20) + parameters.largest.0 as usize];
        generator(seed, "apache pages", &[]).fill_bytes(&mut pool);
        Self { seed, parameters, pool }
    }

    /// The head of a page, which contains its number, and the rest.
    fn of(&self, page: u32) -> (String, &[u8]) {
        let chance = scatter(self.seed ^ u64::from(page).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let ServedPages { smallest, largest, .. } = self.parameters;
        let rest = (smallest.0 - HEAD + chance % (largest.0 - smallest.0 + 1)) as usize;
        let from = scatter(chance) as usize % (self.pool.len() - largest.0 as usize);
        (format!("{page:>15}\n"), &self.pool[from..from + rest])
    }

    fn write(&self, page: u32, folder: &Path) -> Result<(), EngineError> {
        let path = folder.join(path_of(page));
        let (head, rest) = self.of(page);
        let written = File::create(&path).and_then(|mut file| {
            file.set_permissions(PermissionsExt::from_mode(0o644))?;
            file.write_all(&[head.as_bytes(), rest].concat())
        });
        written.map_err(EngineError::io(format!("write {}", path.display())))
    }

    fn require(&self, page: u32, body: &[u8]) -> Result<(), EngineError> {
        let (head, rest) = self.of(page);
        if body.split_at_checked(head.len()).is_some_and(|found| found == (head.as_bytes(), rest)) {
            return Ok(());
        }
        let what = format!("{} bytes that are not the {} of the page", body.len(), head.len() + rest.len());
        Err(EngineError::Wrong(format!("Apache answers to /{} with {what}", path_of(page))))
    }
}

impl RequestSource for ManyPages {
    fn write(&self, root: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
        for page in (0..self.contents.parameters.pages).take_while(|_| !stop.load(Ordering::Relaxed)) {
            if page % IN_A_FOLDER == 0 {
                folder::make(&root.join(format!("{:04}", page / IN_A_FOLDER)), OPEN, None)?;
            }
            self.contents.write(page, root)?;
        }
        Ok(())
    }

    fn run(&self, server: &mut Httpd, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let (address, next) = (server.address().into(), AtomicUsize::new(0));
        let client = |_| PageClient { pages: self, next: &next, address, answer: Vec::new(), answered: 0 };
        let clients = (0..self.contents.parameters.clients).map(client);
        let mut clients = Workers::new(clients, WorkerStyle::Threads);
        clients.run(limit, stats).map_err(|error| server.lane.named(error))?;
        let answered = clients.total(|client| client.answered);
        server.note((answered == u64::from(self.contents.parameters.pages)).then_some(answered));
        Ok(())
    }
}

/// Timeout of a read from the server.
const PATIENCE: Duration = Duration::from_secs(60);

/// Requests `path` from the server at `address` and returns the page. `answer` is a buffer that is used again.
fn get<'a>(address: SocketAddr, path: &str, answer: &'a mut Vec<u8>) -> Result<&'a [u8], EngineError> {
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
    use fsarena_model::Bytes;

    const PAGES: ServedPages = ServedPages { pages: 2000, clients: 4, smallest: Bytes(1024), largest: Bytes(65536) };

    #[test]
    fn pages_follow_from_the_seed_and_each_is_another() {
        let (one, same, other) =
            (PageContents::new(PAGES, 7), PageContents::new(PAGES, 7), PageContents::new(PAGES, 8));
        let sizes: Vec<u64> = (0..PAGES.pages).map(|page| one.of(page).1.len() as u64 + HEAD).collect();
        assert!(sizes.iter().all(|size| (1024..=65536).contains(size)));
        let mean = sizes.iter().sum::<u64>() as f64 / 2000.0;
        assert!((mean / 33280.0 - 1.0).abs() < 0.05, "{mean}");
        for page in 0..20 {
            assert_eq!(one.of(page), same.of(page));
            assert_ne!(one.of(page), other.of(page));
            let body = [one.of(page).0.as_bytes(), one.of(page).1].concat();
            one.require(page, &body).expect("it is the page's");
            one.require(page + 1, &body).expect_err("it is another's");
            one.require(page, &body[1..]).expect_err("one byte is missing");
        }
    }

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
