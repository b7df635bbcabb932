//! What a C file of the kernel's dialect is compiled against: our headers under the kernel's names, and what connects the file to the
//! interface.

/// The shim, compiled once per compiler: one file of six parts, each of which uses those before it.
pub(crate) const SHIM: &str = concat!(
    include_str!("../kernel/shim/connection.c"),
    "\n",
    include_str!("../kernel/shim/support.c"),
    "\n",
    include_str!("../kernel/shim/parameters.c"),
    "\n",
    include_str!("../kernel/shim/kernel.c"),
    "\n",
    include_str!("../kernel/shim/hooks.c"),
    "\n",
    include_str!("../kernel/shim/module.c"),
);

/// Arithmetic in integers, which a BPF program has too: the header's name, and what stands in it.
pub const ARITHMETIC: (&str, &str) = ("windtunnel/arithmetic.h", include_str!("../kernel/include/windtunnel/arithmetic.h"));

/// The headers that hold something.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    ("windtunnel.h", crate::abi::HEADER),
    ("windtunnel/base.h", include_str!("../kernel/include/windtunnel/base.h")),
    ARITHMETIC,
    ("windtunnel/math.h", include_str!("../kernel/include/windtunnel/math.h")),
    ("windtunnel/module.h", include_str!("../kernel/include/windtunnel/module.h")),
    ("windtunnel/tcp.h", include_str!("../kernel/include/windtunnel/tcp.h")),
];

/// The kernel's names: each of them is all of the above.
pub(crate) const NAMES: [&str; 62] = [
    "asm/byteorder.h",
    "asm/div64.h",
    "asm/unaligned.h",
    "linux/atomic.h",
    "linux/average.h",
    "linux/bitops.h",
    "linux/bits.h",
    "linux/bpf.h",
    "linux/btf.h",
    "linux/btf_ids.h",
    "linux/bug.h",
    "linux/build_bug.h",
    "linux/cache.h",
    "linux/compiler.h",
    "linux/container_of.h",
    "linux/errno.h",
    "linux/gcd.h",
    "linux/gfp.h",
    "linux/hrtimer.h",
    "linux/inet.h",
    "linux/inet_diag.h",
    "linux/init.h",
    "linux/int_log.h",
    "linux/jiffies.h",
    "linux/kernel.h",
    "linux/kstrtox.h",
    "linux/ktime.h",
    "linux/limits.h",
    "linux/list.h",
    "linux/log2.h",
    "linux/math.h",
    "linux/math64.h",
    "linux/minmax.h",
    "linux/mm.h",
    "linux/module.h",
    "linux/moduleparam.h",
    "linux/net.h",
    "linux/prandom.h",
    "linux/printk.h",
    "linux/random.h",
    "linux/rculist.h",
    "linux/rcupdate.h",
    "linux/reciprocal_div.h",
    "linux/sched/clock.h",
    "linux/skbuff.h",
    "linux/slab.h",
    "linux/spinlock.h",
    "linux/stddef.h",
    "linux/string.h",
    "linux/tcp.h",
    "linux/time.h",
    "linux/types.h",
    "linux/version.h",
    "linux/win_minmax.h",
    "linux/workqueue.h",
    "net/busy_poll.h",
    "net/inet_connection_sock.h",
    "net/sock.h",
    "net/tcp.h",
    "net/tcp_states.h",
    "net/xfrm.h",
    "uapi/linux/tcp.h",
];

/// What stands in a header of the kernel's name.
pub(crate) const NAMED: &str = "#include <windtunnel/tcp.h>\n";

/// What the shim leaves out for a file without a word: what costs most to keep. A text that pastes words together may have any.
pub(crate) const WITHOUT: [(&str, &str); 1] = [("rx_opt", "-DWT_KERNEL_WITHOUT_TIMESTAMPS")];

/// How words are pasted together.
pub(crate) const PASTES: &str = "##";

/// Flags for every file.
pub(crate) const FLAGS: [&str; 8] =
    ["-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv", "-funsigned-char", "-fno-common"];

/// Flags for files of the user's: as in the kernel there are no floating-point numbers and no headers of the system, and nothing is assumed.
pub(crate) const FLAGS_OF_FILE: [&str; 9] = [
    "-nostdinc",
    "-mgeneral-regs-only",
    "-fno-builtin",
    "-fdiagnostics-color=never",
    "-fno-diagnostics-show-caret",
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Werror=implicit-int",
];
