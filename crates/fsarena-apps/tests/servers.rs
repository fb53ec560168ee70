//! Workloads that need servers: done, and cut short in every way that there is. Real servers, on plain directories.

mod apache;
mod ending;
mod full;
mod missing;
mod pgbench;
mod place;
