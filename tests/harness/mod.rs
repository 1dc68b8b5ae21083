//! Runs the real executables on case files, with canned judges.

pub mod attacks;
pub mod canned;
pub mod case;
pub mod recorded;
pub mod region;
pub mod run;
pub mod session;
pub mod together;
