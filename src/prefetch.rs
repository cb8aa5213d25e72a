//! Memory that is asked for before it is needed.

/// Has a value brought near while the program goes on. Tables of many functions are in memory that
/// no cache of a processor holds, and waiting for it takes as long as reading some lines.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
pub(crate) fn prefetch<T>(value: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = value {
        safe_arch::prefetch_t0(value);
    }
}
