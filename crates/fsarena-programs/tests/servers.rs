//! Workloads that need servers, complete and interrupted in every possible way. Real servers, on plain directories.

mod apache;
mod ending;
mod full;
mod missing;
mod pgbench;
mod place;
