//! Apache httpd on the lane. Its pages and its access log are on the lane, everything else is in a folder outside. It
//! listens on a free port of 127.0.0.1. <https://httpd.apache.org/docs/2.4/mod/core.html>

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, Need, go_on};
use rustix::process::Signal;

use crate::folder;
use crate::server::LaneServer;
use crate::user::User;

/// The server. Its package installs no service.
pub const NEED: Need = Need { version: "-v", ..Need::new("apache2", "apache2-bin") };

/// User that the server runs as, if fsarena runs as root.
const USER: &str = "www-data";

/// Folder of Apache's modules in Debian.
const MODULES: &str = "/usr/lib/apache2/modules";

/// Settings as in the server of 2009: one process per concurrent request, no search for `.htaccess` files.
const SETTINGS: &[&str] = &[
    "LoadModule mpm_prefork_module mod_mpm_prefork.so",
    "LoadModule authz_core_module mod_authz_core.so",
    "LoadModule mime_module mod_mime.so",
    "ServerName localhost",
    "StartServers 5",
    "MinSpareServers 5",
    "MaxSpareServers 10",
    "MaxRequestWorkers 150",
    "Mutex pthread default",
    "Timeout 300",
    "KeepAlive Off",
    "EnableMMAP On",
    "EnableSendfile On",
    "HostnameLookups Off",
    r#"LogFormat "%h %l %u %t \"%r\" %>s %b" common"#,
];

const FOLDERS: &[&str] = &["Options FollowSymLinks", "AllowOverride None", "Require all granted"];

/// Number of attempts to start. Another process may take the port between the search for it and its use.
const ATTEMPTS: u32 = 5;
/// The mode of the folders of pages, which all users may read.
pub const OPEN: u32 = 0o755;
/// Text in the server's log once it answers.
const READY: &str = "resuming normal operations";

/// Pages on a lane, and their server while it runs.
#[derive(Debug)]
pub struct Httpd {
    /// Its data, the pages and the access log, belong to fsarena's user; only the log belongs to the server's user.
    pub lane: LaneServer,
    /// The port of the server, if it was started.
    port: u16,
    /// Requests that were answered since the server was started; `None` if their number is unknown.
    answered: Option<u64>,
}

impl Httpd {
    /// A server of pages in `directory`. Nothing is made there yet.
    pub fn at(directory: &Path) -> Result<Self, EngineError> {
        Ok(Self {
            lane: LaneServer::new(NEED.program, USER, directory.join("apache"), Signal::TERM)?,
            port: 0,
            answered: None,
        })
    }

    /// Makes the empty folder of the pages.
    pub fn install(&self) -> Result<PathBuf, EngineError> {
        folder::make(&self.lane.data, OPEN, None)?;
        folder::make(&self.pages(), OPEN, None)?;
        Ok(self.pages())
    }

    pub fn pages(&self) -> PathBuf {
        self.lane.data.join("pages")
    }

    pub fn address(&self) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, self.port)
    }

    /// Starts the server with an empty access log and waits until it answers.
    pub fn start(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        folder::write(&self.access_log(), "", self.lane.user.as_ref())?;
        self.answered = Some(0);
        for _ in 1..ATTEMPTS {
            match self.start_at(free_port()?, stop) {
                Err(error) if is_taken(&error) => {}
                started => return started,
            }
        }
        self.start_at(free_port()?, stop)
    }

    fn start_at(&mut self, port: u16, stop: &AtomicBool) -> Result<(), EngineError> {
        let (log, run) = (self.lane.log(), self.lane.run.path());
        let configuration = run.join("httpd.conf");
        folder::write(&configuration, &self.configuration(port, &log), None)?;
        folder::write(&run.join("mime.types"), "text/html html\n", None)?;
        // The server opens its log itself, so its user owns the file.
        folder::write(&log, "", self.lane.user.as_ref())?;
        let (run, configuration) = (run.display().to_string(), configuration.display().to_string());
        let argv = ["env", "-i", "LC_ALL=C", &NEED.found()?, "-d", &run, "-f", &configuration, "-D", "FOREGROUND"];
        let is_ready = |_: &LaneServer, _: &AtomicBool| folder::read(&log).is_ok_and(|text| text.contains(READY));
        self.port = port;
        self.lane.start(argv.map(str::to_owned).to_vec(), stop, is_ready)
    }

    fn configuration(&self, port: u16, log: &Path) -> String {
        let (pages, access) = (self.pages(), self.access_log());
        let (run, own) = (self.lane.run.path().display(), self.lane.clients_folder());
        let modules = |setting: &&str| setting.replace(" mod_", &format!(" {MODULES}/mod_"));
        let places = [
            format!("ServerRoot \"{run}\""),
            format!("DefaultRuntimeDir \"{}\"", own.display()),
            format!("PidFile \"{}\"", own.join("pid").display()),
            format!("TypesConfig \"{run}/mime.types\""),
            format!("ErrorLog \"{}\"", log.display()),
            // Without the requests by which Apache wakes its own processes.
            format!("CustomLog \"{}\" common \"expr=%{{REQUEST_METHOD}} != 'OPTIONS'\"", access.display()),
            format!("DocumentRoot \"{}\"", pages.display()),
            format!("Listen 127.0.0.1:{port}"),
            format!("<Directory \"/\">\n{}\n</Directory>\n", FOLDERS.join("\n")),
        ];
        SETTINGS.iter().map(modules).chain(places).collect::<Vec<_>>().join("\n")
    }

    /// Adds requests that were answered; `None` if their number is unknown because their clients were stopped.
    pub fn note(&mut self, requests: Option<u64>) {
        self.answered = self.answered.zip(requests).map(|(before, more)| before + more);
    }

    /// Ends the server. If the number of requests is known, it first waits until the access log has a line for each.
    pub fn finish(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        if let Some(answered) = self.answered {
            self.require_logged(answered, stop)?;
        }
        self.lane.stop(stop)
    }

    /// Refuses an access log that does not have exactly one line per request. Apache reports no error when it cannot
    /// write the log. The last lines may come shortly after the last answers.
    ///
    /// # Errors
    /// If lines are still missing after 60 s, if there are too many lines, or once `stop` is set.
    fn require_logged(&self, requests: u64, stop: &AtomicBool) -> Result<(), EngineError> {
        const PATIENCE: Duration = Duration::from_secs(60);
        let begin = Instant::now();
        loop {
            let lines = lines_of(&self.access_log())?;
            if lines == requests {
                return Ok(());
            }
            if begin.elapsed() > PATIENCE || lines > requests {
                let text = format!("Apache has answered {requests} requests, and its access log has {lines} lines");
                return Err(EngineError::Wrong(text));
            }
            go_on(stop).map_err(EngineError::io("wait for the access log"))?;
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn access_log(&self) -> PathBuf {
        self.lane.data.join("access.log")
    }
}

/// A port that no process uses at this moment.
fn free_port() -> Result<u16, EngineError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(EngineError::io("look for a free port"))?;
    Ok(listener.local_addr().map_err(EngineError::io("look for a free port"))?.port())
}

/// Whether a server ended because another process uses its port.
fn is_taken(error: &EngineError) -> bool {
    matches!(error, EngineError::Server { log, .. } if log.contains("Address already in use"))
}

fn lines_of(path: &Path) -> Result<u64, EngineError> {
    let read = || EngineError::io(format!("read {}", path.display()));
    let (mut file, mut piece, mut lines) = (File::open(path).map_err(read())?, vec![0; 1 << 20], 0);
    loop {
        match file.read(&mut piece).map_err(read())? {
            0 => return Ok(lines),
            length => lines += piece[..length].iter().filter(|byte| **byte == b'\n').count() as u64,
        }
    }
}

/// Command line and configuration of the server, for reports.
pub fn settings_of_report() -> Vec<String> {
    let places =
        ["DocumentRoot LANE/pages", "CustomLog LANE/access.log common \"expr=%{REQUEST_METHOD} != 'OPTIONS'\""];
    let start = format!("{}{} -D FOREGROUND", User::of_report(USER), NEED.program);
    let settings = SETTINGS.iter().chain(FOLDERS).copied().chain(places).map(str::to_owned);
    [start].into_iter().chain(settings).collect()
}
