//! Rules for figures of several clients.

use fsarena_model::validity::bounds::{CLIENT_SHARE, LINK_SHARE, SKEWED_SHARE};
use fsarena_model::{ClientFacts, Finding, probe};

use super::Evidence;

/// One client did far less than the others in most rounds.
pub fn uneven(evidence: &Evidence<'_>) -> Option<Finding> {
    let slowest: Vec<_> = evidence.finished.iter().filter_map(|trial| trial.clients.as_ref()?.slowest()).collect();
    let slow: Vec<_> = slowest.iter().filter(|slowest| slowest.share < CLIENT_SHARE).collect();
    let client = slow.first()?.client;
    let own: Vec<f64> = slow.iter().filter(|slow| slow.client == client).map(|slow| slow.share).collect();
    if 2 * own.len() <= slowest.len() {
        return None;
    }
    Some(Finding::SlowClient {
        client: name(&evidence.analysis.record.environment.clients, client),
        rounds: own.len() as u32,
        of: slowest.len() as u32,
        share: fsarena_stats::median(own)?,
    })
}

/// The clients rarely started together.
pub fn skewed(evidence: &Evidence<'_>) -> Option<Finding> {
    let works = || evidence.finished.iter().filter_map(|trial| Some((trial, trial.clients.as_ref()?)));
    let slices: u32 = works().map(|(_, work)| work.skewed).sum();
    let of = slices + works().map(|(trial, _)| trial.slices.len() as u32).sum::<u32>();
    let worst = works().map(|(_, work)| work.skew).fold(0.0, f64::max);
    let is_often = f64::from(slices) > SKEWED_SHARE * f64::from(of);
    is_often.then_some(Finding::StartsApart { slices, of, worst })
}

/// The network carried almost as much as it can.
pub fn network_bound(evidence: &Evidence<'_>) -> Option<Finding> {
    let clients = f64::from(evidence.workload.clients()?);
    let links = evidence.analysis.record.environment.clients.iter().map(|client| client.machine.link_mbit);
    let slowest = links.collect::<Option<Vec<u64>>>()?.into_iter().min()? as f64 * 1e6 / 8.0;
    let busiest = evidence.sum(probe::NETWORK_RECEIVED)?.max(evidence.sum(probe::NETWORK_SENT)?);
    let share = busiest / evidence.seconds() / clients / slowest;
    (share >= LINK_SHARE).then_some(Finding::LinkLimit { share, mbit: slowest * 8.0 / 1e6 })
}

/// `client 2 (node2)`, or its command if its host is unknown.
fn name(clients: &[ClientFacts], client: usize) -> String {
    let known = clients.get(client).map(|facts| facts.machine.host.clone().unwrap_or(facts.command.clone()));
    format!("client {}{}", client + 1, known.map(|known| format!(" ({known})")).unwrap_or_default())
}
