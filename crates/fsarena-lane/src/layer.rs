//! Layers between a file system and its lane: encryption, logical volumes, mirrors, checksums. A new layer is one file
//! below `layer/` and one line in [`LAYERS`].

mod integrity;
mod luks;
mod lvm;
mod raid1;
mod take_down;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_model::visible::shell_line;
use fsarena_model::{BlockLayer, Bytes, Contender, Guarantee, Plan, repeated};
use fsarena_sys::child::Patience;
use fsarena_sys::{block, fault};

use crate::kind::tool;
use crate::mounted::{forget_cached, succeeded, tool_limit};
use crate::require::{is_loadable, tools_of};
use crate::{LaneError, Tool};

pub use take_down::take_down;
pub(crate) use take_down::take_down_named;

/// All layers, in the order in which they are listed.
pub static LAYERS: &[&LayerKind] = &[&luks::LUKS, &lvm::LVM, &lvm::THIN, &raid1::RAID1, &integrity::INTEGRITY];

/// It removes mapped devices of all layers.
const DMSETUP: Tool = tool("dmsetup", "dmsetup", "--version");

/// Beginning of the names of all mapped devices and volume groups. LVM doubles hyphens, so names have none.
pub(crate) const PREFIX: &str = "fsarena_";

/// A kind of layer: how a block device is made from the one below it.
#[derive(Debug)]
pub struct LayerKind {
    /// Its name after the `@` of a contender.
    pub name: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// The kernel's modules.
    pub(crate) modules: &'static [&'static str],
    /// The programs that make it and take it down.
    pub tools: &'static [Tool],
    /// Each option with its values, the default first.
    pub options: &'static [(&'static str, &'static [&'static str])],
    /// What it guarantees beyond storing.
    pub guarantees: &'static [Guarantee],
    /// Whether zpool divides its device into partitions, for which it needs udev (efi_get_info() of OpenZFS).
    pub(crate) is_divided: bool,
    /// Bytes that it needs below it to give this many.
    pub(crate) needs: fn(u64) -> u64,
    /// The commands that make it, and its device.
    pub(crate) create: fn(&Site<'_>) -> Commands,
    /// The commands that bring its device back after a restart of the machine.
    pub(crate) open: fn(&Site<'_>) -> Commands,
    /// The device.
    pub(crate) device: fn(&Site<'_>) -> String,
}

impl LayerKind {
    /// A module that it needs and the kernel of this machine lacks.
    pub fn missing_module(&self) -> Option<&'static str> {
        self.modules.iter().copied().find(|module| !is_loadable(module))
    }
}

pub(crate) type Commands = Vec<Vec<String>>;

/// Where a layer is made.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    /// The device below it.
    pub below: String,
    /// Size of that device, in bytes.
    pub size: u64,
    /// The layer's unique name.
    pub name: String,
    pub stack: &'a StackPlace<'a>,
    kind: &'static LayerKind,
    options: &'a [String],
}

impl Site<'_> {
    /// The value of an option: as typed, or the default.
    pub fn option(&self, name: &str) -> &str {
        let typed = self.options.iter().find_map(|typed| typed.strip_prefix(name)?.strip_prefix('='));
        let default = || self.kind.options.iter().find(|(known, _)| *known == name).map_or("", |(_, values)| values[0]);
        typed.unwrap_or_else(default)
    }
}

/// The words of a command, in which each `{}` is replaced by the next of `places`.
pub(crate) fn words(text: &str, places: &[&str]) -> Vec<String> {
    let mut places = places.iter();
    let mut filled = |word: &str| match word.split_once("{}") {
        Some((before, after)) => [before, places.next().copied().unwrap_or_default(), after].concat(),
        None => word.to_owned(),
    };
    text.split_whitespace().map(&mut filled).collect()
}

/// What a contender's layers lie on.
#[derive(Debug, Clone, Copy)]
pub struct StackPlace<'a> {
    /// The lane.
    pub device: &'a Path,
    /// A word that is unique on this machine: letters, digits and `_`.
    pub name: &'a str,
    /// A number that is unique among lanes.
    pub number: u32,
    /// UUID of an encrypted device, which is not that of the file system on it. It is also the content of `key`: what
    /// is encrypted is no secret.
    pub uuid: &'a str,
    /// The file with the key.
    pub key: &'a Path,
}

/// A contender's layers in use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stack {
    /// The topmost device, on which the file system lies.
    pub device: PathBuf,
    /// The commands that made it.
    pub commands: Vec<String>,
}

/// Whether layers are made, or are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raise {
    /// They are made.
    Create,
    /// They were made before, and the machine was restarted since.
    Open,
}

/// Makes or opens `layers` on a device, which must have none, from the last one upwards.
///
/// # Errors
/// If a program fails, or the key cannot be written.
pub fn raise(layers: &[BlockLayer], place: &StackPlace<'_>, how: Raise) -> Result<Stack, LaneError> {
    let mut stack = Stack { device: place.device.to_owned(), commands: Vec::new() };
    if layers.is_empty() {
        return Ok(stack);
    }
    forget_cached(place.device).map_err(LaneError::io("forget what is cached of", place.device))?;
    std::fs::write(place.key, place.uuid).map_err(LaneError::io("write", place.key))?;
    for (level, layer) in layers.iter().rev().enumerate() {
        let kind = known(&layer.name)?;
        let site = Site {
            below: stack.device.display().to_string(),
            size: size(&stack.device)?.0,
            name: format!("{PREFIX}{}_{level}", place.name),
            stack: place,
            kind,
            options: &layer.options,
        };
        let limit = tool_limit(Bytes(site.size));
        let commands = if how == Raise::Create { (kind.create)(&site) } else { (kind.open)(&site) };
        commands.iter().try_for_each(|argv| run(argv, limit))?;
        stack.device = (kind.device)(&site).into();
        stack.commands.extend(commands.iter().map(|argv| shell_line(argv)));
    }
    Ok(stack)
}

/// Removes what layers have left on a lane, by which programs would recognise them (wipefs(8)).
pub(crate) fn wipe(lane: &Path) -> Result<(), LaneError> {
    run(&words("wipefs --all --quiet {}", &[&lane.display().to_string()]), Patience::QUERY)
}

fn run(argv: &[String], limit: Duration) -> Result<(), LaneError> {
    fault::step("make layer").map_err(LaneError::io("make a layer with", &argv[0]))?;
    succeeded(argv, limit, None).map(drop)
}

pub(crate) fn size(device: &Path) -> Result<Bytes, LaneError> {
    let size = File::open(device).and_then(|opened| block::size(&opened));
    size.map(Bytes).map_err(LaneError::io("look up the size of", device))
}

fn find(name: &str) -> Option<&'static LayerKind> {
    LAYERS.iter().copied().find(|kind| kind.name == name)
}

/// The layers of a contender that fsarena knows.
fn kinds(contender: &Contender) -> impl Iterator<Item = &'static LayerKind> {
    contender.layers.iter().filter_map(|layer| find(&layer.name))
}

fn known(name: &str) -> Result<&'static LayerKind, LaneError> {
    find(name).ok_or_else(|| LaneError::UnknownLayer { name: name.to_owned() })
}

pub(crate) fn guarantees(contender: &Contender) -> impl Iterator<Item = Guarantee> {
    kinds(contender).flat_map(|kind| kind.guarantees).copied()
}

/// The programs that the layers of these contenders need.
pub fn layer_tools(contenders: &[Contender]) -> Vec<Tool> {
    contenders.iter().flat_map(kinds).flat_map(|kind| kind.tools).copied().collect()
}

/// Size of the lane that is needed for `size` above the layers of every contender of a plan.
pub fn below_layers(plan: &Plan, size: Bytes) -> Bytes {
    plan.contenders.iter().map(|contender| below(contender, size)).max().unwrap_or(size)
}

/// Size of the lane that is needed for `size` above the layers of a contender, in whole MiB if there are any.
pub fn below(contender: &Contender, size: Bytes) -> Bytes {
    let whole = |bytes: u64| bytes.div_ceil(1 << 20).saturating_mul(1 << 20);
    kinds(contender).fold(size, |above, kind| Bytes(whole((kind.needs)(above.0))))
}

/// Refuses layers that fsarena does not know, that occur twice, or whose options it does not know.
pub(crate) fn require_known(contender: &Contender) -> Result<(), LaneError> {
    if let Some(hint) = joined_with_kernel(contender) {
        let what = "a kernel is not separated from layers by a comma".to_owned();
        return Err(LaneError::bad_option(contender, what, format!("separate them by one: {hint}")));
    }
    let refused = |what, hint: String| Err(LaneError::bad_option(contender, what, hint));
    if let Some(twice) = repeated(contender.layers.iter().map(|layer| &layer.name)) {
        return refused(format!("it has the layer `{twice}` twice"), "name it once".to_owned());
    }
    for layer in &contender.layers {
        let kind = known(&layer.name)?;
        let options = layer.options.iter().map(|option| option.split_once('=').unwrap_or((option, "")));
        if let Some(twice) = repeated(options.clone().map(|(name, _)| name)) {
            let what = format!("the layer `{}` has the option `{twice}` twice", layer.name);
            return refused(what, "name it once".to_owned());
        }
        for (name, value) in options {
            let Some((_, values)) = kind.options.iter().find(|(known, _)| *known == name) else {
                let names: Vec<&str> = kind.options.iter().map(|(name, _)| *name).collect();
                let what = format!("the layer `{}` has no option `{name}`", layer.name);
                return refused(what, format!("its options are {}", names.join(", ")));
            };
            if !values.contains(&value) {
                let what = format!("`{value}` is no value of the option `{name}` of the layer `{}`", layer.name);
                return refused(what, format!("its values are {}", values.join(", ")));
            }
        }
    }
    Ok(())
}

/// What was meant by `linux-6.12+luks` or `luks@linux-6.12`: a kernel and layers are separated by a comma.
fn joined_with_kernel(contender: &Contender) -> Option<String> {
    let kernel: Vec<&str> = contender.kernel.iter().flat_map(|kernel| kernel.split(['+', '@'])).collect();
    let is_layer = |word: &&str| find(word).is_some();
    let of_kernel = kernel.first().is_some_and(is_layer) || kernel.last().is_some_and(is_layer);
    let names = contender.layers.iter().flat_map(|layer| layer.name.split('@'));
    if !of_kernel && !names.clone().any(|name| name.starts_with("linux-")) {
        return None;
    }
    let (layers, kernel): (Vec<&str>, Vec<&str>) = names.chain(kernel).partition(is_layer);
    Some(format!("{}@{},{}", contender.kind, layers.join("+"), kernel.join("+")))
}

/// Refuses a pool on a layer that zpool would divide.
pub(crate) fn require_whole(contender: &Contender) -> Result<(), LaneError> {
    let topmost = contender.layers.first().and_then(|layer| find(&layer.name));
    let Some(kind) = topmost.filter(|kind| kind.is_divided) else { return Ok(()) };
    let what = format!("`zpool create` would divide the device of the layer `{}` into partitions", kind.name);
    let hint = format!("put another layer on it, as in {}@{}+{}", contender.kind, lvm::LVM.name, kind.name);
    Err(LaneError::bad_option(contender, what, hint))
}

/// Refuses layers that this machine cannot make.
pub(crate) fn require_possible(contender: &Contender) -> Result<(), LaneError> {
    for kind in kinds(contender) {
        if let Some(module) = kind.missing_module() {
            return Err(LaneError::LayerLacks { layer: kind.name.to_owned(), module: module.to_owned() });
        }
        tools_of(kind.name, kind.tools)?;
    }
    Ok(())
}
