/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What every file of net/ipv4 takes for granted: types, constants, and macros without which it does not compile. The names and what
 * they mean are the kernel's interface; the text is ours.
 */
#ifndef WINDTUNNEL_KERNEL_BASE_H
#define WINDTUNNEL_KERNEL_BASE_H

#define __KERNEL__ 1

typedef __SIZE_TYPE__ size_t;
#ifndef NULL
#define NULL ((void *)0)
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
typedef _Bool bool;
enum { false = 0, true = 1 };

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s8 __s8;
typedef s16 __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __le16, __be16;
typedef u32 __le32, __be32, __wsum;
typedef u64 __le64, __be64;
typedef u8 uint8_t;
typedef u16 uint16_t;
typedef u32 uint32_t;
typedef s8 int8_t;
typedef s16 int16_t;
typedef s32 int32_t;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned short ushort;
typedef unsigned int gfp_t;
typedef long ssize_t;
typedef s64 ktime_t;

#define U8_MAX ((u8)~0U)
#define U16_MAX ((u16)~0U)
#define S16_MAX ((s16)(U16_MAX >> 1))
#define U32_MAX ((u32)~0U)
#define S32_MAX ((s32)(U32_MAX >> 1))
#define S32_MIN ((s32)(-S32_MAX - 1))
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))
#define INT_MAX ((int)(~0U >> 1))
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX (~0U)
#define LONG_MAX ((long)(~0UL >> 1))
#define ULONG_MAX (~0UL)
#define U8_C(x) x
#define U16_C(x) x
#define U32_C(x) x##U
#define U64_C(x) x##ULL
#define S64_C(x) x##LL

#define BITS_PER_LONG ((int)sizeof(long) * 8)
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define GENMASK(high, low) ((~0UL >> (BITS_PER_LONG - 1 - (high) + (low))) << (low))

/* What the kernel says of itself. */
#ifndef HZ
#define HZ 1000
#endif
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))
#define IS_ENABLED(option) 0
#define IS_BUILTIN(option) 0
#define IS_MODULE(option) 0
#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "tcp"
#endif

/* Attributes: as far as they change nothing here they are nothing. */
#define __init
#define __exit
#define __initdata
#define __initconst
#define __read_mostly
#define __ro_after_init
#define ____cacheline_aligned
#define ____cacheline_aligned_in_smp
#define __bpf_kfunc
#define __bpf_kfunc_start_defs()
#define __bpf_kfunc_end_defs()
#define __rcu
#define __user
#define __force
#define __percpu
#define __must_check
#define __always_unused __attribute__((unused))
#define __maybe_unused __attribute__((unused))
#define __used __attribute__((used))
#define __packed __attribute__((packed))
#define __aligned(n) __attribute__((aligned(n)))
#define __pure __attribute__((pure))
#define __attribute_const__ __attribute__((const))
#define __cold
#define noinline __attribute__((noinline))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __counted_by(member)
#define fallthrough __attribute__((fallthrough))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ __volatile__("" ::: "memory")

/* One thread runs a state: memory is in order. */
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define smp_mb() barrier()
#define smp_rmb() barrier()
#define smp_wmb() barrier()
#define smp_load_acquire(at) READ_ONCE(*(at))
#define smp_store_release(at, value) WRITE_ONCE(*(at), value)
#define rcu_read_lock() do { } while (0)
#define rcu_read_unlock() do { } while (0)
#define rcu_dereference(x) (x)
#define rcu_assign_pointer(x, value) ((x) = (value))
#define cmpxchg(at, old, new) ({                                             \
	__typeof__(at) wt_at = (at);                                         \
	__typeof__(*wt_at) wt_was = *wt_at;                                  \
	if (wt_was == (__typeof__(*wt_at))(old))                             \
		*wt_at = (new);                                              \
	wt_was;                                                              \
})
#define xchg(at, new) ({                                                     \
	__typeof__(at) wt_at = (at);                                         \
	__typeof__(*wt_at) wt_was = *wt_at;                                  \
	*wt_at = (new);                                                      \
	wt_was;                                                              \
})

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;
#define ATOMIC_INIT(i) { (i) }
#define atomic_read(at) ((at)->counter)
#define atomic_set(at, value) ((at)->counter = (value))
#define atomic_inc(at) ((void)++(at)->counter)
#define atomic_dec(at) ((void)--(at)->counter)
#define atomic_add(value, at) ((void)((at)->counter += (value)))
#define atomic_inc_return(at) (++(at)->counter)
#define atomic64_read(at) ((at)->counter)
#define atomic64_set(at, value) ((at)->counter = (value))
#define atomic64_inc(at) ((void)++(at)->counter)
#define atomic64_add(value, at) ((void)((at)->counter += (value)))

typedef struct { int unused; } spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
#define spin_lock_init(lock) ((void)(lock))
#define spin_lock(lock) ((void)(lock))
#define spin_unlock(lock) ((void)(lock))
#define spin_lock_bh(lock) ((void)(lock))
#define spin_unlock_bh(lock) ((void)(lock))

#define container_of(at, type, member) ((type *)((char *)(at) - offsetof(type, member)))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetofend(type, member) (offsetof(type, member) + sizeof_field(type, member))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define __stringify_1(x...) #x
#define __stringify(x...) __stringify_1(x)

#define static_assert_1(condition, text, ...) _Static_assert(condition, text)
#undef static_assert
#define static_assert(condition, ...) static_assert_1(condition, ##__VA_ARGS__, #condition)
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), "BUILD_BUG_ON: " #condition)
#define BUILD_BUG_ON_MSG(condition, text) _Static_assert(!(condition), text)
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) BUILD_BUG_ON((n) == 0 || (((n) & ((n) - 1)) != 0))

struct list_head { struct list_head *next, *prev; };
struct module;
#define THIS_MODULE ((struct module *)0)

#define EPERM 1
#define ENOENT 2
#define ENOMEM 12
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define EINVAL 22
#define ENOSPC 28
#define ERANGE 34
#define EOPNOTSUPP 95

/* Provided beside the file: messages, memory of a connection, draws. */
void wt_kernel_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wt_kernel_warn(const char *condition, const char *file, int line);
void wt_kernel_bug(const char *condition, const char *file, int line) __attribute__((noreturn));
void *wt_kernel_alloc(size_t size);
void wt_kernel_free(const void *at);
u32 wt_kernel_draw(void);
u32 wt_kernel_draw_below(u32 ceiling);
u64 wt_kernel_now_ns(void);

#define KERN_EMERG ""
#define KERN_ALERT ""
#define KERN_CRIT ""
#define KERN_ERR ""
#define KERN_WARNING ""
#define KERN_NOTICE ""
#define KERN_INFO ""
#define KERN_DEBUG ""
#define KERN_CONT ""
#ifndef pr_fmt
#define pr_fmt(format) format
#endif
#define printk(format, ...) wt_kernel_print(format, ##__VA_ARGS__)
#define printk_once(format, ...) printk_ratelimited(format, ##__VA_ARGS__)
#define printk_ratelimited(format, ...) ({                                   \
	static bool wt_said;                                                 \
	if (!wt_said)                                                        \
		wt_kernel_print(format, ##__VA_ARGS__);                      \
	wt_said = true;                                                      \
})
#define pr_emerg(format, ...) printk(pr_fmt(format), ##__VA_ARGS__)
#define pr_alert pr_emerg
#define pr_crit pr_emerg
#define pr_err pr_emerg
#define pr_warn pr_emerg
#define pr_notice pr_emerg
#define pr_info pr_emerg
#define pr_info_once(format, ...) printk_once(pr_fmt(format), ##__VA_ARGS__)
#define pr_warn_once pr_info_once
#define pr_err_once pr_info_once
#define pr_info_ratelimited pr_info_once
#define pr_warn_ratelimited pr_info_once
#define pr_debug(format, ...) ({ if (0) wt_kernel_print(format, ##__VA_ARGS__); })
#define pr_devel pr_debug
#define pr_debug_ratelimited pr_debug
#define trace_printk pr_debug

#define WARN_ON(condition) ({                                                \
	bool wt_is = !!(condition);                                          \
	if (unlikely(wt_is))                                                 \
		wt_kernel_warn(#condition, __FILE__, __LINE__);              \
	wt_is;                                                               \
})
#define WARN_ON_ONCE WARN_ON
#define WARN(condition, format, ...) ({                                      \
	bool wt_is = !!(condition);                                          \
	if (unlikely(wt_is))                                                 \
		wt_kernel_print(format, ##__VA_ARGS__);                      \
	wt_is;                                                               \
})
#define WARN_ONCE WARN
#define BUG_ON(condition) ({ if (unlikely(condition)) wt_kernel_bug(#condition, __FILE__, __LINE__); })
#define BUG() wt_kernel_bug("BUG", __FILE__, __LINE__)

#define GFP_KERNEL 0u
#define GFP_ATOMIC 0u
#define GFP_NOWAIT 0u
#define __GFP_NOWARN 0u
#define __GFP_ZERO 0u
#define kmalloc(size, flags) wt_kernel_alloc(size)
#define kzalloc(size, flags) wt_kernel_alloc(size)
#define kcalloc(count, size, flags) wt_kernel_alloc((size_t)(count) * (size))
#define kmalloc_array(count, size, flags) wt_kernel_alloc((size_t)(count) * (size))
#define kvzalloc kzalloc
#define kfree(at) wt_kernel_free(at)
#define kvfree(at) wt_kernel_free(at)

void *memset(void *at, int value, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);

#define get_random_u32() wt_kernel_draw()
#define get_random_u16() ((u16)wt_kernel_draw())
#define get_random_u8() ((u8)wt_kernel_draw())
#define get_random_u64() (((u64)wt_kernel_draw() << 32) | wt_kernel_draw())
#define get_random_int() wt_kernel_draw()
#define get_random_long() ((unsigned long)get_random_u64())
#define get_random_u32_below(ceiling) wt_kernel_draw_below(ceiling)
#define get_random_u32_inclusive(floor, ceiling) ((floor) + wt_kernel_draw_below((ceiling) - (floor) + 1))
#define prandom_u32() wt_kernel_draw()
#define prandom_u32_max(ceiling) wt_kernel_draw_below(ceiling)
static inline void get_random_bytes(void *at, size_t size)
{
	for (u8 *byte = at; size > 0; size--)
		*byte++ = (u8)wt_kernel_draw();
}
#define prandom_bytes get_random_bytes

#endif
