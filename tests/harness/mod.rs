//! Runs the real executables on case files, with canned judges.

pub mod canned;
pub mod case;
pub mod region;
pub mod run;
pub mod session;
