//! What the choice depends on: which contenders are better in which workloads of the mix.

use fsarena_model::Verdict;
use fsarena_model::recommendation::Preference;

use super::Evidence;

impl Evidence<'_> {
    /// Which of these contenders are better in which workloads; empty unless each is beaten in some workload.
    pub(super) fn preferences(&self, members: &[usize]) -> Vec<Preference> {
        let mut leading: Vec<(Vec<usize>, Vec<String>)> = Vec::new();
        for workload in self.weights.keys() {
            let leaders = self.unbeaten(*workload, members);
            let name = self.plan().workloads[*workload].name.to_string();
            match leading.iter_mut().find(|(others, _)| *others == leaders) {
                Some((_, workloads)) => workloads.push(name),
                None => leading.push((leaders, vec![name])),
            }
        }
        leading.retain(|(leaders, _)| !leaders.is_empty() && leaders.len() < members.len());
        let is_beaten = |member: &usize| leading.iter().any(|(leaders, _)| !leaders.contains(member));
        if !members.iter().all(is_beaten) {
            return Vec::new();
        }
        let named = |leaders: Vec<usize>| leaders.into_iter().map(|member| self.label(member)).collect();
        let preference = |(leaders, workloads)| Preference { contenders: named(leaders), workloads };
        leading.into_iter().map(preference).collect()
    }

    /// The contenders than which no other of `members` is decided to be better in the workload.
    fn unbeaten(&self, workload: usize, members: &[usize]) -> Vec<usize> {
        let is_beaten = |one: usize| members.iter().any(|other| *other != one && self.beats(*other, one, workload));
        members.iter().copied().filter(|member| !is_beaten(*member)).collect()
    }

    fn beats(&self, one: usize, other: usize, workload: usize) -> bool {
        let wanted = if one < other { Verdict::Faster } else { Verdict::Slower };
        self.decisions.verdict(workload, one.min(other), one.max(other)).is_some_and(|pair| pair.verdict == wanted)
    }
}
