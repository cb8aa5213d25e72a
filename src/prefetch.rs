//! Requests memory before it is needed.

/// Loads a value into the cache while the program goes on. Tables of many functions exceed the
/// processor's caches, and waiting for memory takes as long as reading some lines.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
pub(crate) fn prefetch<T>(value: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = value {
        safe_arch::prefetch_t0(value);
    }
}
