/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Arithmetic in integers, by the kernel's names, that a BPF program has too: the types are there before, and nothing else is needed. */
#ifndef WINDTUNNEL_KERNEL_ARITHMETIC_H
#define WINDTUNNEL_KERNEL_ARITHMETIC_H

#define min(a, b) ({ __auto_type wt_a = (a); __auto_type wt_b = (b); wt_a < wt_b ? wt_a : wt_b; })
#define max(a, b) ({ __auto_type wt_a = (a); __auto_type wt_b = (b); wt_a > wt_b ? wt_a : wt_b; })
#define min_t(type, a, b) ({ type wt_ta = (a); type wt_tb = (b); wt_ta < wt_tb ? wt_ta : wt_tb; })
#define max_t(type, a, b) ({ type wt_ta = (a); type wt_tb = (b); wt_ta > wt_tb ? wt_ta : wt_tb; })
#define umin(a, b) min_t(u64, a, b)
#define umax(a, b) max_t(u64, a, b)
#define min3(a, b, c) ({ __auto_type wt_3 = min(a, b); min(wt_3, c); })
#define max3(a, b, c) ({ __auto_type wt_3 = max(a, b); max(wt_3, c); })
#define min_not_zero(a, b) ({                                                \
	__auto_type wt_na = (a);                                             \
	__auto_type wt_nb = (b);                                             \
	wt_na == 0 ? wt_nb : wt_nb == 0 ? wt_na : min(wt_na, wt_nb);         \
})
#define clamp(value, low, high) ({                                           \
	__auto_type wt_v = (value);                                          \
	__auto_type wt_low = (low);                                          \
	__auto_type wt_high = (high);                                        \
	wt_v <= wt_low ? (__typeof__(wt_v))wt_low : wt_v >= wt_high ? (__typeof__(wt_v))wt_high : wt_v; \
})
#define clamp_t(type, value, low, high) ({                                   \
	type wt_tv = (value);                                                \
	type wt_tl = (low);                                                  \
	type wt_th = (high);                                                 \
	wt_tv < wt_tl ? wt_tl : wt_tv > wt_th ? wt_th : wt_tv;               \
})
#define clamp_val(value, low, high) clamp_t(__typeof__(value), value, low, high)
#define swap(a, b) ({ __typeof__(a) wt_swap = (a); (a) = (b); (b) = wt_swap; })
#define abs(x) ({                                                            \
	__auto_type wt_x = (x);                                              \
	__builtin_choose_expr(sizeof(wt_x) == sizeof(s64), ({ s64 wt_l = (s64)wt_x; wt_l < 0 ? -wt_l : wt_l; }), \
			      ({ int wt_i = (int)wt_x; wt_i < 0 ? -wt_i : wt_i; })); \
})
#define abs_diff(a, b) ({ __auto_type wt_da = (a); __auto_type wt_db = (b); wt_da > wt_db ? wt_da - wt_db : wt_db - wt_da; })

#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), d)
#define DIV_ROUND_DOWN_ULL(n, d) ((u64)(n) / (d))
/* To the nearest, halves away from zero where a sign is possible. */
#define DIV_ROUND_CLOSEST(n, d) ({                                           \
	__auto_type wt_n = (n);                                              \
	__auto_type wt_d = (d);                                              \
	((__typeof__(wt_n))-1 > 0 || (__typeof__(wt_d))-1 > 0 || ((wt_n > 0) == (wt_d > 0))) \
		? (wt_n + wt_d / 2) / wt_d                                   \
		: (wt_n - wt_d / 2) / wt_d;                                  \
})
#define DIV_ROUND_CLOSEST_ULL(n, d) (((u64)(n) + (d) / 2) / (d))
#define DIV64_U64_ROUND_UP(n, d) DIV_ROUND_UP((u64)(n), (u64)(d))
#define roundup(n, to) ((((n) + (to) - 1) / (to)) * (to))
#define rounddown(n, to) ((n) - (n) % (to))
#define round_up(n, to) ((((n) - 1) | ((__typeof__(n))(to) - 1)) + 1)
#define round_down(n, to) ((n) & ~((__typeof__(n))(to) - 1))
#define ALIGN(n, to) round_up(n, to)
#define mult_frac(x, n, d) ({                                                \
	__typeof__(x) wt_mx = (x);                                           \
	__typeof__(d) wt_md = (d);                                           \
	(wt_mx / wt_md) * (n) + (wt_mx % wt_md) * (n) / wt_md;               \
})

/* Divides in place, answers the remainder. */
#define do_div(n, d) ({                                                      \
	u32 wt_by = (d);                                                     \
	u32 wt_rest = (u64)(n) % wt_by;                                      \
	(n) = (u64)(n) / wt_by;                                              \
	wt_rest;                                                             \
})
static inline u64 div_u64_rem(u64 n, u32 d, u32 *rest) { *rest = n % d; return n / d; }
static inline s64 div_s64_rem(s64 n, s32 d, s32 *rest) { *rest = n % d; return n / d; }
static inline u64 div64_u64_rem(u64 n, u64 d, u64 *rest) { *rest = n % d; return n / d; }
static inline u64 div_u64(u64 n, u32 d) { return n / d; }
static inline s64 div_s64(s64 n, s32 d) { return n / d; }
static inline u64 div64_u64(u64 n, u64 d) { return n / d; }
static inline s64 div64_s64(s64 n, s64 d) { return n / d; }
#define div64_long(n, d) div64_s64((s64)(n), (s64)(d))
#define div64_ul(n, d) div64_u64((u64)(n), (u64)(d))

/* The whole part of a square root, one bit of the answer after the other. */
static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0;

	for (int bit = 31; bit >= 0; bit--) {
		u64 tried = root | 1ULL << bit;

		if (tried * tried <= x)
			root = tried;
	}
	return (u32)root;
}
static inline unsigned long int_sqrt(unsigned long x) { return int_sqrt64(x); }

#endif
