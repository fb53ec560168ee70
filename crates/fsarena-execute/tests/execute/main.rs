//! Whole sessions on a fake testbed, with fake jobs and a fake clock: exact, fast and reproducible.

mod budget;
mod clients;
mod failures;
mod order;
mod remote;
mod resume;
mod slices;
mod stop;
mod stream;
mod whole;
