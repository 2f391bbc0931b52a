//! Argument values that a shell can complete. Other values may be valid too: a scene can be a file.

use crate::arguments::MethodChoice;
use clap::builder::{PossibleValue, TypedValueParser};
use signorini_scenes::worlds;
use signorini_solvers::Method;
use std::error::Error;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;

/// Parses a `T` and knows the names of some values.
#[derive(Clone)]
pub struct Known<T> {
    names: Vec<&'static str>,
    of: PhantomData<T>,
}

impl<T> Known<T> {
    fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Known { names: names.into_iter().collect(), of: PhantomData }
    }
}

/// A built-in scene, or a file.
pub fn scenes() -> Known<String> {
    Known::new(worlds::all().iter().map(|scene| scene.name))
}

/// A method.
pub fn methods() -> Known<Method> {
    Known::new(Method::ALL.iter().map(|method| method.name()))
}

/// Methods, or all of them.
pub fn method_choices() -> Known<MethodChoice> {
    Known::new(["all"].into_iter().chain(Method::ALL.iter().map(|method| method.name())))
}

impl<T> TypedValueParser for Known<T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Into<Box<dyn Error + Send + Sync + 'static>>,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        (|text: &str| text.parse::<T>()).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().copied().map(PossibleValue::new)))
    }
}
