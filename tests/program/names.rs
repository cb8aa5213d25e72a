//! Values of options have the same names in the library.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use cg_preprocess::output::{Names, Sort};
use cg_preprocess::run::Format;
use cg_preprocess::view::GroupBy;
use clap::ValueEnum;

fn check<T: ValueEnum + Copy + Debug + Display + FromStr + PartialEq>() {
    for &value in T::value_variants() {
        let named = value.to_possible_value().expect("no value is hidden");
        assert_eq!(value.to_string(), named.get_name());
        for name in named.get_name_and_aliases() {
            assert_eq!(name.to_uppercase().parse().ok(), Some(value));
        }
    }
    assert!("".parse::<T>().is_err() && "texts".parse::<T>().is_err());
}

#[test]
fn names_are_those_of_the_command_line() {
    check::<Format>();
    check::<GroupBy>();
    check::<Names>();
    check::<Sort>();
}
