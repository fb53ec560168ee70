//! Plans the steps before anything is timed: which files they use, their sizes, and the pieces of each read and write.

use std::collections::BTreeMap;

use fsarena_model::seed::generator;
use rand::RngExt;

use super::parameters::{LONGEST, SequenceParameters, SequenceStep, StepAction, SyncTime};
use super::state::{Node, PoolPiece, SequenceState, place};

/// All steps, and the state that they leave.
pub struct Tasks {
    pub all: Vec<SequenceTask>,
    /// The directories that must exist before the first step.
    pub folders: Vec<String>,
    /// The expected state after the last step.
    pub left: SequenceState,
    /// Maximum bytes of files at a time.
    pub demand: u64,
    /// Maximum number of files and directories at a time.
    pub most_files: u64,
    /// Total bytes that are read and written.
    pub moved: u64,
}

#[derive(Debug, Clone)]
pub struct SequenceTask {
    pub name: String,
    pub action: StepAction,
    /// The files or directories on which it acts.
    pub items: Vec<Item>,
    /// The pieces that are read or written in random order, all in the first item.
    pub random: Vec<PoolPiece>,
    pub sync: SyncTime,
    /// Whether nothing is in memory when it begins.
    pub cold: bool,
    seed: u64,
    index: usize,
    block: u64,
}

#[derive(Debug, Clone)]
pub struct Item {
    pub path: String,
    /// Its new path if it is renamed, otherwise empty.
    pub to: String,
    /// Bytes that are read or written, or number of names in a directory.
    pub size: u64,
    /// Offset in the file at which these bytes begin.
    pub offset: u64,
}

impl SequenceTask {
    fn bytes(&self) -> u64 {
        use StepAction::{Append, Create, RandomRead, RandomWrite, Read, Write};
        match self.action {
            Create | Write | Append | Read => self.items.iter().map(|item| item.size).sum(),
            RandomRead | RandomWrite => self.random.iter().map(|piece| piece.length).sum(),
            _ => 0,
        }
    }

    /// Number of its writes; 0 if it does not write files.
    pub fn writes(&self) -> u64 {
        use StepAction::{Append, Create, RandomWrite, Write};
        match self.action {
            Create | Write | Append => self.items.iter().map(|item| item.size.div_ceil(self.block)).sum(),
            RandomWrite => self.random.len() as u64,
            _ => 0,
        }
    }

    /// The pieces of an item that are read or written, in order.
    pub fn pieces(&self, number: usize) -> impl Iterator<Item = PoolPiece> + use<'_> {
        let item = &self.items[number];
        let count = item.size.div_ceil(self.block);
        (0..count).map(move |block| {
            let begin = block * self.block;
            let at = place(self.seed, self.index, number, block);
            PoolPiece { offset: item.offset + begin, length: self.block.min(item.size - begin), at }
        })
    }
}

impl Tasks {
    /// Plans the steps. Returns the first problem if they do not fit together.
    pub fn of(parameters: &SequenceParameters, seed: u64) -> Result<Self, String> {
        let mut expansion = Expansion { state: SequenceState::default(), sets: BTreeMap::new(), seed };
        let (mut all, mut folders, mut demand, mut most_files) = (Vec::<SequenceTask>::new(), Vec::new(), 0, 0);
        for (index, step) in parameters.steps.iter().enumerate() {
            let made = step.sets.iter().filter(|_| step.inside.is_none()).flat_map(|set| expansion.state.lead_to(set));
            let made: Vec<String> = made.collect();
            folders.extend(made);
            let task = expansion.task(step, index).and_then(|task| expansion.follow(&task).map(|()| task));
            all.push(task.map_err(|what| format!("step `{}`: {what}", step.name))?);
            demand = demand.max(expansion.state.bytes);
            most_files = most_files.max(expansion.state.nodes.len() as u64);
        }
        let moved = all.iter().map(SequenceTask::bytes).sum();
        Ok(Self { all, folders, left: expansion.state, demand, most_files, moved })
    }
}

/// The names of the members of a set.
#[derive(Debug, Clone, Default)]
struct Set {
    name: String,
    inside: Option<(Box<Set>, u64)>,
    chain: Option<u64>,
    /// All numbers are below this.
    end: u64,
}

impl Set {
    fn path(&self, number: u64) -> String {
        let name = &self.name;
        match (&self.inside, self.chain) {
            (Some((folders, each)), _) => format!("{}/{name}-{}", folders.path(number / each), number % each),
            (None, Some(side)) => {
                let last = name.rsplit('/').next().unwrap_or(name);
                let (level, number) = (number / side, number % side);
                let above: String = (0..level).map(|_| format!("-0/{last}")).collect();
                format!("{name}{above}-{number}")
            }
            (None, None) => format!("{name}-{number}"),
        }
    }
}

/// The state after the steps that were planned so far.
struct Expansion {
    state: SequenceState,
    sets: BTreeMap<String, Set>,
    seed: u64,
}

impl Expansion {
    fn task(&mut self, step: &SequenceStep, index: usize) -> Result<SequenceTask, String> {
        let items = self.items(step)?;
        let largest = items.iter().map(|item| item.size).max().unwrap_or(0);
        let block = step.block.unwrap_or(LONGEST.min(largest)).max(1);
        let random = if step.action.is_random() { self.random(step, index, items[0].size)? } else { Vec::new() };
        Ok(SequenceTask {
            name: step.name.clone(),
            action: step.action,
            items,
            random,
            sync: if step.action.writes() { step.sync } else { SyncTime::Never },
            cold: step.cold,
            seed: self.seed,
            index,
            block,
        })
    }

    fn items(&mut self, step: &SequenceStep) -> Result<Vec<Item>, String> {
        let plain = |path: String| Item { path, to: String::new(), size: 0, offset: 0 };
        match step.action {
            StepAction::Sync => return Ok(Vec::new()),
            StepAction::List => {
                return self.listed(step).map(|size| vec![Item { size, ..plain(step.sets[0].clone()) }]);
            }
            StepAction::DeleteTree => return Ok(step.sets.iter().cloned().map(plain).collect()),
            StepAction::Create | StepAction::Mkdir => self.begin_set(step),
            _ => {}
        }
        let mut items = Vec::new();
        for name in &step.sets {
            let set = self.sets.get(name).ok_or_else(|| format!("nothing made `{name}` before"))?.clone();
            let renamed = step.to.as_ref().map(|to| Set { name: to.clone(), ..set.clone() });
            for number in self.numbers(step, &set) {
                let to = renamed.as_ref().map(|set| set.path(number)).unwrap_or_default();
                items.push(self.measured(step, Item { to, ..plain(set.path(number)) })?);
            }
            self.sets.extend(renamed.map(|set| (set.name.clone(), set)));
        }
        Ok(items)
    }

    /// Begins or extends the set of the objects that a step makes.
    fn begin_set(&mut self, step: &SequenceStep) {
        let name = step.sets[0].clone();
        let plain = |name: &String| Set { name: name.clone(), ..Set::default() };
        let folders = |name: &String| Box::new(self.sets.get(name).cloned().unwrap_or_else(|| plain(name)));
        let inside = step.inside.as_ref().map(folders).zip(step.each);
        let before = self.sets.get(&name).map_or(0, |set| set.end);
        let end = before.max(step.from + step.count.unwrap_or(1));
        self.sets.insert(name.clone(), Set { name, inside, chain: step.chain, end });
    }

    /// The numbers of the members of a set on which a step acts.
    fn numbers(&self, step: &SequenceStep, set: &Set) -> Vec<u64> {
        let is_making = matches!(step.action, StepAction::Create | StepAction::Mkdir);
        match step.count {
            _ if step.action.is_random() => vec![step.from],
            None if is_making => vec![step.from],
            None => (step.from..set.end).filter(|number| self.state.nodes.contains_key(&set.path(*number))).collect(),
            Some(count) => (step.from..step.from + count).collect(),
        }
    }

    fn listed(&self, step: &SequenceStep) -> Result<u64, String> {
        let (found, wanted) = (self.state.children(&step.sets[0]), step.count.unwrap_or(0));
        let wrong = || format!("`{}` has {found} entries then, and not {wanted}", step.sets[0]);
        if found == wanted { Ok(found) } else { Err(wrong()) }
    }

    /// Sets the bytes that the step moves, and their offset.
    fn measured(&self, step: &SequenceStep, item: Item) -> Result<Item, String> {
        Ok(match step.action {
            StepAction::Create => Item { size: step.size.unwrap_or(0), ..item },
            StepAction::Append => Item { offset: self.state.size(&item.path)?, size: step.size.unwrap_or(0), ..item },
            StepAction::Mkdir | StepAction::Rmdir => item,
            _ => Item { size: self.state.size(&item.path)?, ..item },
        })
    }

    fn random(&self, step: &SequenceStep, index: usize, size: u64) -> Result<Vec<PoolPiece>, String> {
        let block = step.block.unwrap_or(LONGEST);
        let blocks = size / block;
        if blocks == 0 {
            return Err(format!("a file of {size} bytes has no block of {block}"));
        }
        let mut random = generator(self.seed, "sequence", &[index as u64]);
        let piece = |number| {
            let at = place(self.seed, index, 0, number);
            PoolPiece { offset: random.random_range(0..blocks) * block, length: block, at }
        };
        Ok((0..step.count.unwrap_or(0)).map(piece).collect())
    }

    /// Applies the step to the state.
    fn follow(&mut self, task: &SequenceTask) -> Result<(), String> {
        for (number, item) in task.items.iter().enumerate() {
            let path = &item.path;
            match task.action {
                StepAction::Create => self.state.make(path, Node::File { size: 0, pieces: Vec::new() })?,
                StepAction::Mkdir => self.state.make(path, Node::Directory)?,
                StepAction::Rename => self.state.rename(path, &item.to)?,
                StepAction::Delete => self.state.remove_file(path)?,
                StepAction::Rmdir => self.state.remove_directory(path)?,
                StepAction::DeleteTree => drop(self.state.remove_tree(path)?),
                _ => {}
            }
            if matches!(task.action, StepAction::Create | StepAction::Write | StepAction::Append) {
                task.pieces(number).try_for_each(|piece| self.state.write(path, piece))?;
            }
            if task.action == StepAction::RandomWrite {
                task.random.iter().try_for_each(|piece| self.state.write(path, *piece))?;
            }
        }
        Ok(())
    }
}
