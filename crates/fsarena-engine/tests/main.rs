//! The engines on real files, devices and programs. All tests are in one executable, because linking takes long.

mod catalogue;
mod data;
mod device;
mod fio;
mod jobs;
mod metadata;
mod openeuler;
mod starts;
