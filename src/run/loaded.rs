//! What was read, for warnings and for the output.

use super::ConvertError;
use crate::compare::CompareError;
use crate::profile::Profile;

/// A profile that was read from its inputs: the new one, or the base.
#[derive(Debug)]
pub(super) struct LoadedProfile {
    /// How messages name its inputs.
    pub inputs: String,
    /// When the first and the last of them were recorded, in seconds since 1970, if all times are known.
    pub recorded: Option<[u64; 2]>,
    pub profile: Profile,
    /// Whether no costs of its first event are missing.
    pub has_all_costs: bool,
}

impl LoadedProfile {
    /// The error for a base that does not fit the new profile.
    pub fn incomparable(&self, error: CompareError) -> ConvertError {
        let inputs = self.inputs.clone();
        ConvertError::Compare { inputs, error }
    }
}
