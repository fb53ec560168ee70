//! Apache httpd on the lane: its pages and its access log there, everything else in a folder of its own, on a port of 127.0.0.1 that
//! is free. <https://httpd.apache.org/docs/2.4/mod/core.html>

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, Need, go_on};
use fsarena_sys::child::Ended;
use rustix::process::Signal;

use crate::folder::{self, RunFolder};
use crate::server::{Server, Start};
use crate::tool::Tool;
use crate::user::User;

/// The server; the package has no service.
pub const NEED: Need = Need { version: "-v", ..Need::new("apache2", "apache2-bin") };

/// As whom it runs, if we are root.
const USER: &str = "www-data";

/// Where Debian has its modules.
const MODULES: &str = "/usr/lib/apache2/modules";

/// As the server of 2009 came: a process for each request at a time, and no `.htaccess` is looked for.
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

/// What is true of all folders.
const FOLDERS: &[&str] = &["Options FollowSymLinks", "AllowOverride None", "Require all granted"];

/// How often a port may be taken by somebody else between looking for it and using it.
const ATTEMPTS: u32 = 5;
/// What the server says once it answers.
const READY: &str = "resuming normal operations";

/// Pages on a lane, and the server when it runs.
#[derive(Debug)]
pub struct Httpd {
    /// Before its folder: fields are dropped in this order.
    running: Option<(Server, u16)>,
    run: RunFolder,
    user: Option<User>,
    /// Ours, with the pages and the access log in it: of these only the log is the server's user's.
    place: PathBuf,
    /// Requests since the server was started; `None` where that is not known any more.
    answered: Option<u64>,
}

impl Httpd {
    /// An empty folder of pages in `directory`; no server runs yet.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn install(directory: &Path) -> Result<Self, EngineError> {
        let user = User::of(USER)?;
        let run = RunFolder::for_server(user.as_ref())?;
        let made = Self { running: None, run, user, place: directory.join("apache"), answered: None };
        make_folder(&made.place)?;
        make_folder(&made.pages())?;
        Ok(made)
    }

    /// The folder of the pages.
    pub fn pages(&self) -> PathBuf {
        self.place.join("pages")
    }

    /// A folder for files of clients, which is the server's user's.
    pub fn clients_folder(&self) -> PathBuf {
        self.run.of_server()
    }

    /// Where the server listens; `None` if none runs.
    pub fn address(&self) -> Option<SocketAddrV4> {
        self.running.as_ref().map(|(_, port)| SocketAddrV4::new(Ipv4Addr::LOCALHOST, *port))
    }

    /// Starts the server with an empty access log, and waits until it answers.
    ///
    /// # Errors
    /// If it does not start, with the last lines of its log.
    pub fn start(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        folder::write(&self.access_log(), "", self.user.as_ref())?;
        let mut attempts = 1..=ATTEMPTS;
        loop {
            let (port, attempt) = (free_port()?, attempts.next());
            match self.start_at(port, stop) {
                Err(error) if attempt < Some(ATTEMPTS) && is_taken(&error) => {}
                started => {
                    self.running = Some((started?, port));
                    self.answered = Some(0);
                    return Ok(());
                }
            }
        }
    }

    fn start_at(&self, port: u16, stop: &AtomicBool) -> Result<Server, EngineError> {
        let (log, configuration) = (self.run.path().join("log"), self.run.path().join("httpd.conf"));
        folder::write(&configuration, &self.configuration(port, &log), None)?;
        folder::write(&self.run.path().join("mime.types"), "text/html html\n", None)?;
        // The server opens its log itself.
        folder::write(&log, "", self.user.as_ref())?;
        let (program, folder) = (NEED.program, self.run.path().display().to_string());
        let argv = ["env", "-i", "LC_ALL=C", &NEED.found()?, "-d", &folder, "-f", &configuration.display().to_string()];
        let argv = argv.into_iter().chain(["-D", "FOREGROUND"]).map(str::to_owned).collect();
        let is_ready = |_: &AtomicBool| folder::read(&log).is_ok_and(|text| text.contains(READY));
        let (user, directory) = (self.user.as_ref(), self.run.path());
        Server::start(&Start { program, argv, user, directory, log: log.clone() }, stop, is_ready)
    }

    fn configuration(&self, port: u16, log: &Path) -> String {
        let (pages, access) = (self.pages(), self.access_log());
        let (run, own) = (self.run.path().display(), self.run.of_server());
        let modules = |setting: &&str| setting.replace(" mod_", &format!(" {MODULES}/mod_"));
        let places = [
            format!("ServerRoot \"{run}\""),
            format!("DefaultRuntimeDir \"{}\"", own.display()),
            format!("PidFile \"{}\"", own.join("pid").display()),
            format!("TypesConfig \"{run}/mime.types\""),
            format!("ErrorLog \"{}\"", log.display()),
            format!("CustomLog \"{}\" common", access.display()),
            format!("DocumentRoot \"{}\"", pages.display()),
            format!("Listen 127.0.0.1:{port}"),
            format!("<Directory \"/\">\n{}\n</Directory>\n", FOLDERS.join("\n")),
        ];
        SETTINGS.iter().map(modules).chain(places).collect::<Vec<_>>().join("\n")
    }

    /// Notes that so many requests were answered; `None`: nobody knows how many, since their clients were stopped.
    pub fn note(&mut self, requests: Option<u64>) {
        self.answered = self.answered.zip(requests).map(|(before, more)| before + more);
    }

    /// Ends the server, once its access log has a line for each request, where it is known how many those were.
    ///
    /// # Errors
    /// If lines are missing, or it has ended before, or does not end.
    pub fn finish(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        if let Some(answered) = self.answered {
            self.require_logged(answered, stop)?;
        }
        self.stop(stop)
    }

    /// Ends the server. Nothing if none runs.
    ///
    /// # Errors
    /// If it has ended before, or does not end.
    fn stop(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.running.take().map_or(Ok(()), |(server, _)| server.stop(Signal::TERM, stop))
    }

    /// Runs the program `name` with `options`, as the server's user, for as long as the server runs; `None` if it was stopped.
    ///
    /// # Errors
    /// If it fails: that the server has ended, if it has.
    pub fn load(
        &mut self,
        name: &'static str,
        options: Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        let argv = [name.to_owned()].into_iter().chain(options).collect();
        let (user, directory, streams) = (self.user.as_ref(), self.run.path(), self.run.path());
        let tool = Tool { name, argv, user, directory, streams };
        match &mut self.running {
            Some((server, _)) => server.during(stop, |stop| tool.run(stop)),
            None => tool.run(stop),
        }
    }

    /// What went wrong with it: that the server has ended, if it has, otherwise `error`.
    pub fn blamed(&mut self, error: EngineError) -> EngineError {
        match &mut self.running {
            Some((server, _)) => server.blamed(error),
            None => error,
        }
    }

    /// Refuses an access log that does not have a line for each of so many requests: the server says nothing when it cannot write there.
    /// Its last lines may come just after the last answers.
    ///
    /// # Errors
    /// If lines are missing after a while.
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
        self.place.join("access.log")
    }
}

/// A folder of ours that everybody may look into.
pub fn make_folder(path: &Path) -> Result<(), EngineError> {
    folder::make(path, 0o755, None)
}

/// A port that nobody has at this moment.
fn free_port() -> Result<u16, EngineError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(EngineError::io("look for a free port"))?;
    Ok(listener.local_addr().map_err(EngineError::io("look for a free port"))?.port())
}

/// Whether a server ended since somebody else has its port.
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

/// As whom the server runs and what it is told, for reports.
pub fn told() -> Vec<String> {
    let places = ["DocumentRoot LANE/pages", "CustomLog LANE/access.log common"];
    let start = format!("{}{} -D FOREGROUND", User::told(USER), NEED.program);
    let told = SETTINGS.iter().chain(FOLDERS).copied().chain(places).map(str::to_owned);
    [start].into_iter().chain(told).collect()
}
