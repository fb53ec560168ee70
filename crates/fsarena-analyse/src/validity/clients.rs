//! Rules for figures of several clients.

use fsarena_model::validity::bounds::{CLIENT_SHARE, LINK_SHARE, SKEWED_SHARE};
use fsarena_model::{ClientFacts, Validity, ValidityClass, probe};

use super::{Evidence, flag};
use crate::probes::middle;

/// One client did far less than the others in most rounds.
pub fn uneven(evidence: &Evidence<'_>) -> Option<Validity> {
    let slowest: Vec<_> = evidence.finished.iter().filter_map(|trial| trial.clients.as_ref()?.slowest()).collect();
    let slow: Vec<_> = slowest.iter().filter(|slowest| slowest.share < CLIENT_SHARE).collect();
    let client = slow.first()?.client;
    let own: Vec<f64> = slow.iter().filter(|slow| slow.client == client).map(|slow| slow.share).collect();
    if 2 * own.len() <= slowest.len() {
        return None;
    }
    let (rounds, share) = (own.len(), middle(own)? * 100.0);
    let text = format!(
        "{} did {share:.0} % of what the others did, in {rounds} of {} rounds: the sum is not that of equal clients; see what \
         else runs there, or leave it out",
        name(&evidence.record.environment.clients, client),
        slowest.len()
    );
    flag(ValidityClass::UnevenClients, text)
}

/// The clients rarely started together.
pub fn skewed(evidence: &Evidence<'_>) -> Option<Validity> {
    let works = || evidence.finished.iter().filter_map(|trial| Some((trial, trial.clients.as_ref()?)));
    let skewed: u32 = works().map(|(_, work)| work.skewed).sum();
    let all = skewed + works().map(|(trial, _)| trial.slices.len() as u32).sum::<u32>();
    if f64::from(skewed) <= SKEWED_SHARE * f64::from(all) {
        return None;
    }
    let worst = works().map(|(_, work)| work.skew).fold(0.0, f64::max);
    let text = format!(
        "in {skewed} of {all} slices the clients did not start within 1 % of the slice (the worst: {:.1} ms); these do not \
         count; the clients' processors are probably busy",
        worst * 1e3
    );
    flag(ValidityClass::UnevenClients, text)
}

/// The network carried almost as much as it can.
pub fn network_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let clients = f64::from(evidence.workload.clients()?);
    let links = evidence.record.environment.clients.iter().map(|client| client.machine.link_mbit);
    let slowest = links.collect::<Option<Vec<u64>>>()?.into_iter().min()? as f64 * 1e6 / 8.0;
    let busiest = evidence.sum(probe::NETWORK_RECEIVED)?.max(evidence.sum(probe::NETWORK_SENT)?);
    let share = busiest / evidence.seconds() / clients / slowest;
    if share.is_nan() || share < LINK_SHARE {
        return None;
    }
    let text = format!(
        "each client moved {:.0} % of what its network link of {:.0} Mbit/s can: the figure is about the network, not about \
         the file service",
        share * 100.0,
        slowest * 8.0 / 1e6
    );
    flag(ValidityClass::NetworkBound, text)
}

/// `client 2 (node2)`, or its command if its host is unknown.
fn name(clients: &[ClientFacts], client: usize) -> String {
    let known = clients.get(client).map(|facts| facts.machine.host.clone().unwrap_or(facts.command.clone()));
    format!("client {}{}", client + 1, known.map(|known| format!(" ({known})")).unwrap_or_default())
}
