//! Whole reports of a made-up comparison, as a person or a program gets them.

#![allow(clippy::unwrap_used)]

mod article;
mod beside;
mod csv;
mod fixture;
mod html;
mod json;
mod latency;
mod markdown;
mod price;
mod text;
