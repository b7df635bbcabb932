/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Arithmetic in integers, by the kernel's names: what a processor does and BPF does not, behind what both do. */
#ifndef WINDTUNNEL_KERNEL_MATH_H
#define WINDTUNNEL_KERNEL_MATH_H

#include <windtunnel/base.h>
#include <windtunnel/arithmetic.h>

static inline u64 mul_u32_u32(u32 a, u32 b) { return (u64)a * b; }
static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int by) { return (u64)(((unsigned __int128)a * b) >> by); }
static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int by) { return (u64)(((unsigned __int128)a * b) >> by); }
static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 d) { return (u64)((unsigned __int128)a * b / d); }
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 d) { return (u64)((unsigned __int128)a * b / d); }

/* Bits: fls counts from 1 and is 0 of 0, __fls counts from 0. */
static inline int fls(unsigned int x) { return x ? 32 - __builtin_clz(x) : 0; }
static inline int fls64(u64 x) { return x ? 64 - __builtin_clzll(x) : 0; }
static inline int ffs(int x) { return __builtin_ffs(x); }
static inline unsigned long __fls(unsigned long x) { return BITS_PER_LONG - 1 - __builtin_clzl(x); }
static inline unsigned long __ffs(unsigned long x) { return __builtin_ctzl(x); }
#define fls_long(x) (sizeof(x) == 4 ? fls(x) : fls64(x))
#define ilog2(n) (fls64(n) - 1)
#define order_base_2(n) ((n) > 1 ? ilog2((n) - 1) + 1 : 0)
#define hweight32(x) __builtin_popcount(x)
#define hweight64(x) __builtin_popcountll(x)
static inline bool is_power_of_2(unsigned long n) { return n != 0 && (n & (n - 1)) == 0; }
#define roundup_pow_of_two(n) (1UL << order_base_2(n))
#define rounddown_pow_of_two(n) (1UL << ilog2(n))

static inline u64 int_pow(u64 base, unsigned int exponent)
{
	u64 result = 1;

	while (exponent-- > 0)
		result *= base;
	return result;
}
static inline u64 gcd(u64 a, u64 b) { while (b) { u64 rest = a % b; a = b; b = rest; } return a; }

/* An exponentially weighted mean: name, bits of the fraction, the reciprocal of a new value's weight. */
#define DECLARE_EWMA(name, fraction, reciprocal)                             \
	struct ewma_##name { unsigned long internal; };                      \
	static inline void ewma_##name##_init(struct ewma_##name *e) { e->internal = 0; } \
	static inline unsigned long ewma_##name##_read(struct ewma_##name *e) { return e->internal >> (fraction); } \
	static inline void ewma_##name##_add(struct ewma_##name *e, unsigned long value) \
	{                                                                    \
		unsigned long shift = ilog2(reciprocal), scaled = value << (fraction); \
		e->internal = e->internal ? (((e->internal << shift) - e->internal) + scaled) >> shift : scaled; \
	}

/* The largest or the smallest of a window of time, by its three best samples. */
struct minmax_sample { u32 t; u32 v; };
struct minmax { struct minmax_sample s[3]; };
u32 minmax_running_max(struct minmax *m, u32 window, u32 t, u32 measured);
u32 minmax_running_min(struct minmax *m, u32 window, u32 t, u32 measured);
static inline u32 minmax_get(const struct minmax *m) { return m->s[0].v; }
static inline u32 minmax_reset(struct minmax *m, u32 t, u32 measured)
{
	m->s[0] = m->s[1] = m->s[2] = (struct minmax_sample){ .t = t, .v = measured };
	return measured;
}

#endif
