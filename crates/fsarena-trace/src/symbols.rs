//! What the functions of a call chain say about a thread: in which layer of the kernel it is, or why it waits.

mod functions;

use std::fs;
use std::sync::{Arc, Mutex};

use fsarena_model::{Avoided, KernelSymbols, Layer, Wait};

/// Why a thread does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sleep {
    /// It waits for the kernel.
    Waits(Wait),
    /// It waits for completions of requests, if there are any.
    Completions,
    /// It waits for another thread or program, or for a time. [`crate::account`] looks at who ends it.
    Idle,
}

use Sleep::Waits;
use functions::{FALLBACKS, LAYERS, SLEEPS};

/// The functions of the running kernel.
#[derive(Debug)]
pub struct Symbols {
    names: Arc<Names>,
    /// What is known about each of them.
    functions: Vec<Function>,
}

/// Addresses of functions in ascending order, with their names. There are more than 100,000.
type Names = Vec<(u64, String)>;

#[derive(Debug, Clone, Copy, Default)]
struct Function {
    layer: Option<Layer>,
    sleep: Option<Sleep>,
    /// A wait of the file system itself.
    own: Option<Wait>,
    /// Its wait in [`FALLBACKS`].
    fallback: Option<Wait>,
    /// The knobs that avoid it.
    knobs: Knobs,
}

/// A set of knobs of a file system: a bit for each, in the order of its list.
pub type Knobs = u32;

impl Symbols {
    /// The functions of the running kernel for a file system. They are read again only if modules have come or gone.
    /// `None` if the kernel hides its addresses, as it does without privilege.
    pub fn of(subject: &KernelSymbols) -> Option<Arc<Self>> {
        static KNOWN: Mutex<KnownSymbols> = Mutex::new(KnownSymbols { modules: None, names: None, of: Vec::new() });
        let mut known = KNOWN.lock().ok()?;
        let modules = Some(modules(&fs::read_to_string("/proc/modules").unwrap_or_default()));
        if known.modules != modules {
            let names = names(&fs::read_to_string("/proc/kallsyms").ok()?).map(Arc::new);
            *known = KnownSymbols { modules, names, of: Vec::new() };
        }
        if let Some((_, symbols)) = known.of.iter().find(|(of, _)| of == subject) {
            return Some(Arc::clone(symbols));
        }
        let symbols = Arc::new(Self::new(known.names.clone()?, subject));
        known.of.push((*subject, Arc::clone(&symbols)));
        Some(symbols)
    }

    fn new(names: Arc<Names>, subject: &KernelSymbols) -> Self {
        let tables = Tables { layers: listed(LAYERS), sleeps: listed(SLEEPS), fallbacks: listed(FALLBACKS) };
        let mut functions: Vec<Function> =
            names.iter().map(|(_, name)| Function::named(name, subject, &tables)).collect();
        // A function may have several names. The last one is found.
        for last in 1..functions.len() {
            if names[last].0 == names[last - 1].0 {
                functions[last] = functions[last].or(functions[last - 1]);
            }
        }
        Self { names, functions }
    }

    fn at(&self, address: u64) -> Function {
        let after = self.names.partition_point(|(start, _)| *start <= address);
        after.checked_sub(1).map_or_else(Function::default, |index| self.functions[index])
    }

    /// Why a thread with this call chain does not run: the innermost wait of the file system, or else the innermost
    /// known one.
    pub fn sleep(&self, chain: &[[u8; 8]]) -> Sleep {
        let functions: Vec<Function> = self.of_chain(chain).collect();
        let own = functions.iter().find_map(|function| function.own).map(Waits);
        let known = own.or_else(|| functions.iter().find_map(|function| function.sleep));
        let fallback = || functions.iter().find_map(|function| function.fallback);
        known.unwrap_or_else(|| Waits(fallback().unwrap_or(Wait::Unknown)))
    }

    /// The knobs that avoid a function of this call chain.
    pub fn knobs(&self, chain: &[[u8; 8]]) -> Knobs {
        self.of_chain(chain).fold(0, |all, function| all | function.knobs)
    }

    /// The layer that runs: that of the innermost function that is known.
    pub fn layer(&self, chain: &[[u8; 8]]) -> Layer {
        self.of_chain(chain).find_map(|function| function.layer).unwrap_or(Layer::Other)
    }

    fn of_chain(&self, chain: &[[u8; 8]]) -> impl Iterator<Item = Function> {
        // Markers between the parts of a chain are small negative numbers (`enum perf_callchain_context`).
        const FIRST_MARKER: u64 = (-4095_i64).cast_unsigned();
        chain
            .iter()
            .map(|bytes| u64::from_ne_bytes(*bytes))
            .filter(|address| *address < FIRST_MARKER)
            .map(|a| self.at(a))
    }

    /// The name of a function that a kernel worker runs.
    pub fn work(&self, address: u64) -> Option<&str> {
        let index = self.names.binary_search_by_key(&address, |(start, _)| *start).ok()?;
        Some(&self.names[index].1)
    }
}

/// What was read about the functions of the kernel while it had these modules.
struct KnownSymbols {
    /// `None` before the first look.
    modules: Option<Vec<String>>,
    names: Option<Arc<Names>>,
    of: Vec<(KernelSymbols, Arc<Symbols>)>,
}

/// The modules of /proc/modules, each with its address.
fn modules(text: &str) -> Vec<String> {
    let ends = |line: &str| Some(format!("{} {}", line.split(' ').next()?, line.split(' ').nth(5)?));
    text.lines().filter_map(ends).collect()
}

/// Reads text like `ffffffff81000000 T name [module]`.
fn names(text: &str) -> Option<Names> {
    let mut names = Names::new();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else { continue };
        if matches!(kind, "t" | "T" | "w" | "W") {
            let address = u64::from_str_radix(address, 16).ok().filter(|address| *address != 0)?;
            names.push((address, name.to_owned()));
        }
    }
    names.sort_by_key(|(address, _)| *address);
    (!names.is_empty()).then_some(names)
}

/// The lists that all file systems share, with a name in each entry.
struct Tables {
    layers: Vec<(&'static str, Layer)>,
    sleeps: Vec<(&'static str, Sleep)>,
    fallbacks: Vec<(&'static str, Wait)>,
}

fn listed<T: Copy>(groups: &[(T, &'static str)]) -> Vec<(&'static str, T)> {
    groups.iter().flat_map(|(what, names)| names.split(' ').map(|name| (name, *what))).collect()
}

impl Function {
    fn named(name: &str, subject: &KernelSymbols, tables: &Tables) -> Self {
        let is_own = subject.prefixes.iter().any(|prefix| name.starts_with(prefix));
        let is = |pattern: &str| matches(pattern, name);
        let plain = name.strip_prefix("asm_").unwrap_or(name).trim_start_matches('_');
        let of_list = || tables.layers.iter().find(|(prefix, _)| plain.starts_with(prefix)).map(|(_, layer)| *layer);
        Self {
            layer: if is_own { Some(Layer::FileSystem) } else { of_list() },
            sleep: found(&tables.sleeps, name),
            fallback: found(&tables.fallbacks, name),
            own: subject.waits.iter().find(|(patterns, _)| patterns.split(' ').any(is)).map(|(_, wait)| *wait),
            knobs: subject.knobs.iter().enumerate().fold(0, |all, (index, knob)| match knob.avoids {
                Avoided::Functions(patterns) if patterns.iter().any(|pattern| matches(pattern, name)) => {
                    all | 1 << index
                }
                _ => all,
            }),
        }
    }

    /// What is known about a function by either of two names.
    fn or(self, other: Self) -> Self {
        Self {
            layer: self.layer.or(other.layer),
            sleep: self.sleep.or(other.sleep),
            own: self.own.or(other.own),
            fallback: self.fallback.or(other.fallback),
            knobs: self.knobs | other.knobs,
        }
    }
}

/// What the first pattern says that this name matches.
fn found<T: Copy>(patterns: &[(&str, T)], name: &str) -> Option<T> {
    patterns.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, what)| *what)
}

/// Compilers add endings such as `.isra.0` to names.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name.split('.').next() == Some(pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "ffff0010 T ext4_sync_file\nffff0020 t jbd2_log_wait_commit\nffff0030 T schedule\n\
        ffff0040 t folio_wait_writeback\nffff0050 T vfs_fsync_range\nffff0060 T rwsem_down_read_slowpath.isra.0\n\
        ffff0070 T __folio_lock_killable\nffff0080 T filemap_fault\n";
    const EXT4: KernelSymbols = KernelSymbols {
        prefixes: &["ext4_", "jbd2_"],
        waits: &[("jbd2_log_wait_commit", Wait::Commit)],
        ..KernelSymbols::NONE
    };

    fn chain(addresses: &[u64]) -> Vec<[u8; 8]> {
        addresses.iter().map(|address| address.to_ne_bytes()).collect()
    }

    #[test]
    fn the_file_systems_own_waits_come_before_those_of_all() {
        let symbols = Symbols::new(Arc::new(names(TEXT).expect("functions")), &EXT4);
        let kernel_part = (-128_i64).cast_unsigned();
        let of = |addresses: &[u64]| symbols.sleep(&chain(addresses));
        assert_eq!(of(&[kernel_part, 0xffff_0034, 0xffff_0042, 0xffff_0026]), Waits(Wait::Commit));
        assert_eq!(of(&[0xffff_0034, 0xffff_0042, 0xffff_0012]), Waits(Wait::Writeback));
        assert_eq!(of(&[0xffff_0034, 0xffff_0061]), Waits(Wait::Lock));
        assert_eq!(of(&[0xffff_0034]), Waits(Wait::Unknown));
        assert_eq!(of(&[0xffff_0034, 0xffff_0071]), Waits(Wait::Lock));
        assert_eq!(of(&[0xffff_0034, 0xffff_0071, 0xffff_0081]), Waits(Wait::Read), "it locks the page that is read");
    }

    #[test]
    fn the_innermost_known_function_tells_the_layer() {
        let symbols = Symbols::new(Arc::new(names(TEXT).expect("functions")), &EXT4);
        assert_eq!(symbols.layer(&chain(&[0xffff_0030, 0xffff_0011, 0xffff_0050])), Layer::FileSystem);
        assert_eq!(symbols.layer(&chain(&[0xffff_0030, 0xffff_0050])), Layer::PageCache);
        assert_eq!(symbols.layer(&[]), Layer::Other);
    }

    #[test]
    fn what_is_read_as_a_file_and_is_none_is_not_the_page_caches() {
        let text = "ffff0010 T vfs_read\nffff0020 T anon_pipe_read\nffff0030 T seq_read_iter\nffff0040 t smaps_pte_range\n\
            ffff0050 T urandom_read_iter\nffff0060 T chacha_block_generic\nffff0070 T locks_lock_inode_wait\n";
        let symbols = Symbols::new(Arc::new(names(text).expect("functions")), &EXT4);
        let of = |inner: &[u64]| symbols.layer(&chain(&[inner, &[0xffff_0011]].concat()));
        assert_eq!(of(&[]), Layer::PageCache);
        assert_eq!(of(&[0xffff_0021]), Layer::Communication);
        assert_eq!(of(&[0xffff_0041, 0xffff_0031]), Layer::Other);
        assert_eq!(of(&[0xffff_0061, 0xffff_0051]), Layer::Other, "random numbers are no checksums");
        assert_eq!(symbols.sleep(&chain(&[0xffff_0071])), Sleep::Idle, "it waits for another program");
    }

    #[test]
    fn a_function_is_known_by_each_of_its_names() {
        let text = "ffff0010 T memcpy\nffff0010 T __pi_memcpy\nffff0020 T next\nffff0030 T asm_sysvec_call\n\
            ffff0040 T __copy_user_nocache\n";
        let symbols = Symbols::new(Arc::new(names(text).expect("functions")), &EXT4);
        let layers = [0xffff_0014, 0xffff_0034, 0xffff_0044].map(|address| symbols.layer(&chain(&[address])));
        assert_eq!(layers, [Layer::Copying, Layer::Interrupts, Layer::Copying]);
    }

    #[test]
    fn a_module_that_is_loaded_again_is_another_one() {
        let of = |uses: u32, place: &str| {
            modules(&format!("xfs 1900544 {uses} - Live 0x{place} (E)\next4 1 0 - Live 0x1\n"))
        };
        assert_eq!(of(0, "ffffffffc0a00000"), ["xfs 0xffffffffc0a00000", "ext4 0x1"]);
        assert_eq!(of(0, "ffffffffc0a00000"), of(3, "ffffffffc0a00000"), "how often it is used is of no interest");
        assert_ne!(of(0, "ffffffffc0a00000"), of(0, "ffffffffc0b00000"));
    }

    #[test]
    fn hidden_addresses_are_no_functions() {
        assert!(names("0000000000000000 T schedule\n").is_none());
    }

    /// The kernels that fsarena is made for have these functions; compilers may inline others.
    #[test]
    fn the_running_kernel_has_what_waits_are_recognised_by() {
        let kernel = fs::read_to_string("/proc/kallsyms").expect("every kernel has it");
        let is_there = |pattern: &str| {
            let mut names = kernel.lines().filter_map(|line| line.split_ascii_whitespace().nth(2));
            names.any(|name| matches(pattern, name))
        };
        let sleeps = listed(SLEEPS);
        let found = sleeps.iter().filter(|(pattern, _)| is_there(pattern)).count();
        assert!(found * 10 >= sleeps.len() * 8, "{found} of {}", sleeps.len());
    }
}
