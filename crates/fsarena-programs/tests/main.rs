//! Tests with real servers and programs, in one executable because linking takes long.

mod articles;
mod mariadb;
mod oltp;
mod program;
mod servers;
