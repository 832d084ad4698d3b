//! What every emitted file carries besides `toft.h`: a few inline functions.

/// Follows `#include "toft.h"`. All are inline: unused ones cost nothing.
pub const TEXT: &str = r#"/* Makes a variable live in memory whenever control may leave the function. */
#define TX_ESCAPE(x) __asm__ volatile("" : : "r"(&(x)) : "memory")
#define TX_ALIGN(n, to) (((n) + ((to) - 1)) & ~(uint64_t)((to) - 1))

#define TX_DIVIDE(n, s, u) \
  TOFT_INLINE s tx_div_i##n(s a, s b) { return b == -1 ? (s)(0u - (u)a) : a / b; } \
  TOFT_INLINE s tx_rem_i##n(s a, s b) { return b == -1 ? 0 : a % b; }
TX_DIVIDE(32, int32_t, uint32_t)
TX_DIVIDE(64, int64_t, uint64_t)

TOFT_INLINE void *tx_thin(toft_fat p, size_t size) {
  return p.base ? (void *)toft_fat_addr(p, size) : 0;
}
TOFT_INLINE toft_fat tx_fat_move(toft_fat p, int64_t n) {
  uint64_t k = (uint64_t)n + ((uint64_t)1 << 32);
  p.off = TOFT_LIKELY(k >> 33 == 0) ? p.off + (uint32_t)(uint64_t)n : UINT32_MAX;
  return p;
}
TOFT_INLINE int tx_fat_lt(toft_fat a, toft_fat b, size_t size) {
  return TOFT_LIKELY(a.base == b.base) ? toft_fat_pos(a) < toft_fat_pos(b)
                                       : toft_fat_addr(a, size) < toft_fat_addr(b, size);
}

/* No terminator stands before p[i]; the first `known` elements are there anyway. */
#define TX_ZERO_ENDED(n, type) \
  TOFT_INLINE void tx_zt_at_##n(const void *p, int64_t i, uint64_t known, const toft_site *s) { \
    const type *q = (const type *)p; \
    if (TOFT_UNLIKELY(i < 0)) toft_trap_bounds(s, i, known + 1); \
    for (uint64_t k = known; k < (uint64_t)i; k++) \
      if (TOFT_UNLIKELY(!q[k])) toft_trap_bounds(s, i, k + 1); \
  } \
  TOFT_INLINE uint64_t tx_zt_len_##n(const void *p) { \
    const type *q = (const type *)p; \
    uint64_t k = 0; \
    if (q) \
      while (q[k]) k++; \
    return k; \
  }
TX_ZERO_ENDED(2, uint16_t)
TX_ZERO_ENDED(4, uint32_t)
TX_ZERO_ENDED(8, uint64_t)
TOFT_INLINE void tx_zt_at_1(const void *p, int64_t i, uint64_t known, const toft_site *s) {
  const char *q = (const char *)p;
  if (TOFT_UNLIKELY(i < 0)) toft_trap_bounds(s, i, known + 1);
  if ((uint64_t)i > known) {
    const char *z = (const char *)__builtin_memchr(q + known, 0, (size_t)i - known);
    if (TOFT_UNLIKELY(z != 0)) toft_trap_bounds(s, i, (uint64_t)(z - q) + 1);
  }
}
TOFT_INLINE uint64_t tx_zt_len_1(const void *p) {
  return p ? __builtin_strlen((const char *)p) : 0;
}

/* A pointer that shares its word with a tag, and floats as bits. */
TOFT_INLINE uint64_t tx_pack(const volatile void *p, uint64_t mask, const toft_site *s) {
  if (TOFT_UNLIKELY((uintptr_t)p & mask)) toft_trap_match(s);
  return (uintptr_t)p;
}
TOFT_INLINE float tx_word_f32(uint64_t w) {
  uint32_t v = (uint32_t)w;
  return toft_load_f32(&v);
}
TOFT_INLINE double tx_word_f64(uint64_t w) { return toft_load_f64(&w); }
TOFT_INLINE uint32_t tx_f32_word(float x) { return toft_load_u32(&x); }
TOFT_INLINE uint64_t tx_f64_word(double x) { return toft_load_u64(&x); }

/* Whether a block of the stack can still take `bytes`. */
TOFT_INLINE bool tx_stack_has(uint64_t bytes) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t low = (uintptr_t)toft_self->stack_limit + 65536;
  return here > low && here - low > bytes;
}
"#;
