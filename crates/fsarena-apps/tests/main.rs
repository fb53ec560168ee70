//! Real servers and programs, in one executable, for linking takes long.

mod mariadb;
mod oltp;
mod servers;
