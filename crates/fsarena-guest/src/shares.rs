//! Folders of the host that a guest mounts, and their servers. The servers listen on a socket of the run's folder or on
//! the loopback device, and end with this process. A guest that is a client of servers of others mounts their folders.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_model::guest::Share;
use fsarena_model::{Bytes, Contender};
use fsarena_sys::child::{self, Patience};
use fsarena_sys::daemon::Daemon;

use crate::qemu::escaped;
use crate::{BootMount, GuestError};

/// The host as the guest sees it, and the guest, on QEMU's user network (QEMU, "Using the user mode network stack").
pub const HOST: &str = "10.0.2.2";
/// The guest's address with the length of its network's prefix.
pub const GUEST: &str = "10.0.2.15/24";

/// Where the guest finds the sftp-server: an address of the network that no machine has.
const SFTP: &str = "10.0.2.100";
const SFTP_PORT: u16 = 2222;

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(10);

/// A contender whose folder is shared.
#[derive(Debug)]
pub struct Shared<'a> {
    /// Its number among them, which is part of its name in the protocol.
    pub number: usize,
    /// The contender; its kind names the protocol.
    pub contender: &'a Contender,
    /// Its folder on the host.
    pub folder: PathBuf,
}

/// Servers that run, and what QEMU and the guest have to know about them.
#[derive(Debug, Default)]
pub struct ServedFolders {
    /// What the guest mounts.
    pub mounts: Vec<Share>,
    arguments: Vec<String>,
    /// Whether the guest needs an address.
    pub(crate) has_network: bool,
    /// Options of the network: what it connects with programs of the host.
    forwards: String,
    has_shared_memory: bool,
    /// What a client mounts when it boots; `None`: the guest is no client.
    of_others: Option<Vec<BootMount>>,
    /// They end when this is dropped.
    servers: Vec<Daemon>,
}

/// A protocol by which a guest mounts folders.
struct Protocol {
    /// The kind of its contenders.
    kind: &'static str,
    serve: Serve,
    /// What its server needs on this machine.
    needs: &'static [ShareNeed],
    /// Whether its server gives files their owners, or opens them by handles.
    needs_root: bool,
}

/// A program, or a part of one.
struct ShareNeed {
    name: &'static str,
    /// Where it may be, apart from the search path.
    places: &'static [&'static str],
    /// The Debian package that has it.
    package: &'static str,
}

static PROTOCOLS: &[Protocol] = &[
    Protocol { kind: "9p", serve: plan9, needs: &[], needs_root: false },
    Protocol { kind: "virtiofs", serve: virtiofs, needs: &[VIRTIOFSD], needs_root: true },
    Protocol { kind: "nfs", serve: nfs, needs: &[GANESHA, GANESHA_VFS], needs_root: true },
    Protocol { kind: "smb", serve: smb, needs: &[SMBD], needs_root: true },
    Protocol { kind: "sshfs", serve: sshfs, needs: &[SFTP_SERVER], needs_root: false },
];

const VIRTIOFSD: ShareNeed = ShareNeed {
    name: "virtiofsd",
    places: &["/usr/libexec/virtiofsd", "/usr/lib/qemu/virtiofsd"],
    package: "qemu-system-common",
};
const GANESHA: ShareNeed = ShareNeed { name: "ganesha.nfsd", places: &[], package: "nfs-ganesha" };
const GANESHA_VFS: ShareNeed = ShareNeed {
    name: "libfsalvfs.so",
    places: &["/usr/lib/x86_64-linux-gnu/ganesha/libfsalvfs.so"],
    package: "nfs-ganesha-vfs",
};
const SMBD: ShareNeed = ShareNeed { name: "smbd", places: &[], package: "samba" };
const SFTP_SERVER: ShareNeed = ShareNeed {
    name: "sftp-server",
    places: &["/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server"],
    package: "openssh-sftp-server",
};

impl ShareNeed {
    fn path(&self) -> Option<PathBuf> {
        let place = self.places.iter().map(PathBuf::from).find(|path| path.is_file());
        place.or_else(|| child::find_program(self.name))
    }

    /// Its path, which [`ServedFolders::require`] has found.
    fn command(&self) -> String {
        self.path().map_or_else(|| self.name.to_owned(), |path| path.display().to_string())
    }
}

impl Protocol {
    fn require(&self) -> Result<(), GuestError> {
        let kind = self.kind;
        if self.needs_root && !rustix::process::geteuid().is_root() {
            return Err(GuestError::ShareNeedsRoot { kind });
        }
        match self.needs.iter().find(|need| need.path().is_none()) {
            Some(ShareNeed { name, package, .. }) => Err(GuestError::ServerMissing { kind, program: name, package }),
            None => Ok(()),
        }
    }
}

/// Starts what serves these folders; `run` is a folder for its files.
type Serve = fn(&mut ServedFolders, &[&Shared<'_>], &Path) -> Result<(), GuestError>;

impl Shared<'_> {
    fn name(&self) -> String {
        format!("share-{}", self.number)
    }

    fn folder(&self) -> String {
        self.folder.display().to_string()
    }

    fn options(&self) -> Vec<&str> {
        self.contender.mount.split(',').filter(|word| !word.is_empty()).collect()
    }
}

impl ServedFolders {
    /// Refuses kinds whose servers are not installed, or need root.
    ///
    /// # Errors
    /// The first obstacle.
    pub fn require(kinds: &[&str]) -> Result<(), GuestError> {
        PROTOCOLS.iter().filter(|protocol| kinds.contains(&protocol.kind)).try_for_each(Protocol::require)
    }

    /// Starts the servers of `shared`, whose own files lie in `run`.
    ///
    /// # Errors
    /// If a server does not start.
    pub fn serve(shared: &[Shared<'_>], run: &Path) -> Result<Self, GuestError> {
        let mut shares = Self::default();
        for protocol in PROTOCOLS {
            let own: Vec<&Shared<'_>> = shared.iter().filter(|it| it.contender.kind == protocol.kind).collect();
            if !own.is_empty() {
                (protocol.serve)(&mut shares, &own, run)?;
            }
        }
        Ok(shares)
    }

    /// Folders of servers of others, which the guest mounts when it boots; `arguments` are further ones of QEMU.
    pub fn of_others(mounts: Vec<BootMount>, arguments: Vec<String>) -> Self {
        Self { of_others: Some(mounts), arguments, has_network: true, ..Self::default() }
    }

    /// What a client mounts when it boots; `None`: the guest is no client.
    pub fn at_boot(&self) -> Option<&[BootMount]> {
        self.of_others.as_deref()
    }

    /// Whether there are arguments of QEMU that the user has named.
    pub fn has_arguments(&self) -> bool {
        self.of_others.is_some() && !self.arguments.is_empty()
    }

    /// QEMU's arguments for a guest with that much memory.
    pub fn arguments(&self, memory: Bytes) -> Vec<String> {
        let mut words = self.arguments.clone();
        if self.has_network {
            let network = format!("user,id=net{}", self.forwards);
            words.extend(["-netdev", &network, "-device", "virtio-net-pci,netdev=net"].map(str::to_owned));
        }
        if self.has_shared_memory {
            let backend = format!("memory-backend-memfd,id=memory,size={}M,share=on", memory.0 >> 20);
            words.extend(["-object", &backend, "-numa", "node,memdev=memory"].map(str::to_owned));
        }
        words
    }

    /// Adds an option of QEMU.
    fn option(&mut self, name: &str, value: String) {
        self.arguments.extend([name.to_owned(), value]);
    }

    fn add(&mut self, share: &Shared<'_>, source: String, options: &[&str], own: &[&str], server: &str) {
        let options = options.iter().chain(own).copied().collect::<Vec<_>>().join(",");
        let label = share.contender.label.clone();
        self.mounts.push(Share { label, source, options, server: server.to_owned() });
    }
}

/// QEMU itself serves 9P. Without a mapping of owners it needs no root.
fn plan9(shares: &mut ServedFolders, folders: &[&Shared<'_>], _run: &Path) -> Result<(), GuestError> {
    for share in folders {
        let (name, number) = (share.name(), share.number);
        let path = escaped(&share.folder);
        shares.option("-fsdev", format!("local,id=fs{number},path={path},security_model=none"));
        shares.option("-device", format!("virtio-9p-pci,fsdev=fs{number},mount_tag={name}"));
        shares.add(share, name, &["trans=virtio", "version=9p2000.L", "msize=524288"], &share.options(), "QEMU");
    }
    Ok(())
}

/// virtiofsd, which decides about caches: its options are `cache` and `writeback`.
fn virtiofs(shares: &mut ServedFolders, folders: &[&Shared<'_>], run: &Path) -> Result<(), GuestError> {
    let program = VIRTIOFSD.command();
    let version = version_of(&[&program, "--version"]);
    shares.has_shared_memory = true;
    for share in folders {
        let (name, number) = (share.name(), share.number);
        let socket = run.join(format!("{name}.sock"));
        let is_of_server = |option: &&str| ["cache", "writeback"].contains(&option.split('=').next().unwrap_or(option));
        let (server, own): (Vec<&str>, Vec<&str>) = share.options().into_iter().partition(is_of_server);
        let mut argv = vec![program.clone(), "-f".to_owned(), format!("--socket-path={}", socket.display())];
        let source = format!("source={}", share.folder());
        let options = [source.as_str(), "sandbox=chroot"].into_iter().chain(server);
        argv.extend(options.flat_map(|option| ["-o", option]).map(str::to_owned));
        start(shares, &argv, run, &name, || socket.exists())?;
        shares.option("-chardev", format!("socket,id=virtiofs{number},path={}", escaped(&socket)));
        shares.option("-device", format!("vhost-user-fs-pci,chardev=virtiofs{number},tag={name}"));
        shares.add(share, name, &[], &own, &version);
    }
    Ok(())
}

/// NFS-Ganesha, for version 4 only, which needs no rpcbind: Debian's does not start for version 3 without one.
fn nfs(shares: &mut ServedFolders, folders: &[&Shared<'_>], run: &Path) -> Result<(), GuestError> {
    let port = free_port()?;
    let state = run.join("ganesha");
    fs::create_dir_all(&state).map_err(GuestError::io("create", &state))?;
    let mut text = format!(
        "NFS_CORE_PARAM {{ NFS_Port = {port}; Protocols = 4; Bind_addr = 127.0.0.1; Enable_NLM = false; \
         Enable_RQUOTA = false; }}\n\
         NFSv4 {{ Graceless = true; RecoveryBackend = fs; RecoveryRoot = {}; Only_Numeric_Owners = true; }}\n",
        state.display()
    );
    for share in folders {
        text += &format!(
            "EXPORT {{ Export_Id = {}; Path = {}; Pseudo = /{}; Access_Type = RW; Squash = No_Root_Squash; \
             SecType = sys; FSAL {{ Name = VFS; }} }}\n",
            share.number + 1,
            share.folder(),
            share.name()
        );
    }
    let (file, log, pid) = (run.join("ganesha.conf"), run.join("ganesha.log"), run.join("ganesha.pid"));
    fs::write(&file, text).map_err(GuestError::io("write", &file))?;
    let path = |path: &Path| path.display().to_string();
    let argv = ["ganesha.nfsd", "-F", "-f", &path(&file), "-L", &path(&log), "-p", &path(&pid)].map(str::to_owned);
    start(shares, &argv, run, "ganesha", || answers(port))?;
    shares.has_network = true;
    let version = version_of(&["ganesha.nfsd", "-v"]);
    let address = GUEST.split('/').next().unwrap_or(GUEST);
    let (port, client) = (format!("port={port}"), format!("clientaddr={address}"));
    let host = format!("addr={HOST}");
    for share in folders {
        let options = ["vers=4.2", "proto=tcp", "sec=sys", &port, &host, &client];
        shares.add(share, format!("{HOST}:/{}", share.name()), &options, &share.options(), &version);
    }
    Ok(())
}

fn smb(shares: &mut ServedFolders, folders: &[&Shared<'_>], run: &Path) -> Result<(), GuestError> {
    let (port, state) = (free_port()?, run.join("samba"));
    fs::create_dir_all(&state).map_err(GuestError::io("create", &state))?;
    let place = state.display();
    let mut text = format!(
        "[global]\nserver role = standalone server\nmap to guest = Bad User\ninterfaces = lo\nbind interfaces only = yes\n\
         smb ports = {port}\nserver min protocol = SMB3_11\ndisable netbios = yes\nload printers = no\n\
         private dir = {place}\nlock directory = {place}\nstate directory = {place}\ncache directory = {place}\n\
         pid directory = {place}\nncalrpc dir = {place}/ncalrpc\nlog file = {place}/log\n"
    );
    for share in folders {
        text += &format!(
            "[{}]\npath = {}\nread only = no\nguest ok = yes\nguest only = yes\nforce user = root\n",
            share.name(),
            share.folder()
        );
    }
    let file = run.join("smb.conf");
    fs::write(&file, text).map_err(GuestError::io("write", &file))?;
    let argv = ["smbd", "-F", "--no-process-group", "-s", &file.display().to_string()].map(str::to_owned);
    start(shares, &argv, run, "smbd", || answers(port))?;
    shares.has_network = true;
    let version = version_of(&["smbd", "--version"]);
    let (port, ip) = (format!("port={port}"), format!("ip={HOST}"));
    for share in folders {
        let options = ["vers=3.1.1", "sec=none", &ip, &port];
        shares.add(share, format!("//{HOST}/{}", share.name()), &options, &share.options(), &version);
    }
    Ok(())
}

/// OpenSSH's sftp-server, without the encryption of sshd: QEMU starts one for each connection to an address of its
/// network, so it listens nowhere on the host, and ends with QEMU.
fn sshfs(shares: &mut ServedFolders, folders: &[&Shared<'_>], _run: &Path) -> Result<(), GuestError> {
    shares.has_network = true;
    shares.forwards = format!(",guestfwd=tcp:{SFTP}:{SFTP_PORT}-cmd:{}", SFTP_SERVER.command());
    for share in folders {
        let port = format!("directport={SFTP_PORT}");
        let options = [&port, "allow_other"];
        let source = format!("{SFTP}:{}", share.folder());
        shares.add(share, source, &options, &share.options(), "OpenSSH's sftp-server");
    }
    Ok(())
}

/// What a program prints about its version.
fn version_of(argv: &[&str; 2]) -> String {
    let ended = child::run(argv, Patience::query()).ok();
    let said = ended.as_ref().and_then(|ended| ended.version_of(argv[0].rsplit('/').next()?));
    said.unwrap_or("of unknown version").to_owned()
}

/// A port of the loopback device that no program uses now.
fn free_port() -> Result<u16, GuestError> {
    let bound = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(GuestError::io("find a port on", "127.0.0.1"))
}

fn answers(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

fn start(
    shares: &mut ServedFolders,
    argv: &[String],
    run: &Path,
    name: &str,
    is_ready: impl Fn() -> bool,
) -> Result<(), GuestError> {
    let log = run.join(format!("{name}.out"));
    let failed = |what: &str| {
        let text = fs::read_to_string(&log).unwrap_or_default();
        let last: Vec<&str> = text.lines().rev().take(5).collect();
        let words = [what].into_iter().chain(last.into_iter().rev()).collect::<Vec<_>>().join("\n");
        GuestError::Program { command: argv.join(" "), words }
    };
    let mut server = Daemon::start(argv, run, &log).map_err(GuestError::io("start", argv[0].clone()))?;
    let begin = Instant::now();
    while !is_ready() {
        if matches!(server.wait(Duration::ZERO), Ok(Some(_))) {
            return Err(failed("it ended at once"));
        }
        if begin.elapsed() > PATIENCE {
            return Err(failed("it does not answer"));
        }
        thread::sleep(LOOK);
    }
    shares.servers.push(server);
    Ok(())
}
