"""A kernel source tree in miniature, written for these tests: the places the patcher looks for, and a make that plays the kernel's."""

from __future__ import annotations

from pathlib import Path

KCONFIG = "config UML\n\tbool\n\tdefault y\n\nconfig HZ\n\tint\n\tdefault 100\n\nconfig OTHER\n\tint\n\tdefault 100\n"

UTIL = """#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

ssize_t os_getrandom(void *to, size_t n, unsigned int how)
{
\treturn getrandom(to, n, how);
}

void another(void)
{
}
"""

OS_H = "extern ssize_t os_getrandom(void *to, size_t n, unsigned int how);\n"

HOSTFS = "int stat_file(const char *path, int fd)\n{\n\treturn lstat64(path, &all);\n}\n"

# The shape of 6.12: -1 names no folder.
NEWER_HOSTFS = """int stat_file(const char *path, int fd)
{
\treturn statx(fd, path, flags, MASK, &all);
}
"""

# The shape before 5.19, and of Debian's 5.10: nobody asks the host for entropy, and set-up ends with the host's name.
OLDER_OS_H = "extern void os_info(const char *text);\n"

OLDER_UTIL = """#include <stdlib.h>
#include <string.h>

void another(void)
{
}
"""

SETUP = """#include <linux/init.h>
#include <linux/string.h>

static void prepare(void)
{
\tsetup_hostinfo(name, sizeof name);
}

void __init setup_arch(char **line)
{
\tprepare();

\tsetup_hostinfo(name, sizeof name);
}

void after(void)
{
}
"""

RANDOM = """void add_interrupt_randomness(int irq)
{
\tenum { SOME = 1U << 31 };
\tunsigned long first = read_something();
\tstruct pool *pool = a_macro(&everything);

\tif (first)
\t\tmix(pool, first ^ irq);
}
EXPORT(add_interrupt_randomness);
"""

OFFSETS = """void sizes(void)
{
#ifdef SMALL
\tDEFINE_LONGS(HOST_FP_SIZE, sizeof(struct all));
#else
\tDEFINE_LONGS(HOST_FP_SIZE, 2696);
#endif
}
"""

ALARM = """static void timer_real_alarm_handler(mcontext_t *mc)
{
\tstruct uml_pt_regs regs;

\tfill(&regs, mc);
\ttimer_handler(SIGALRM, NULL, &regs);
}
"""

# A "kernel" that is a shell script: it writes what the probe would, so that everything around a real kernel can be tested without one.
KERNEL = """#!/bin/sh
echo 'a line from the guest'
: > first
{
  echo 'release 6.1.9-windtunnel'
  echo 'tick_ns 1000000'
  echo 'start 1700000000.000000256'
  echo "random seed$UML_SEED"
  echo 'algorithms reno cubic mine'
  echo 'transferred 1000000'
  echo 'min_rtt_us 10000'
  echo 'end 1'
} > records
"""

CONFIG = """CONFIG_HZ=1000
CONFIG_MODULES=y
CONFIG_UML_TIME_TRAVEL_SUPPORT=y
CONFIG_HIGH_RES_TIMERS=y
CONFIG_HOSTFS=y
CONFIG_BINFMT_ELF=y
CONFIG_PRINTK=y
CONFIG_EPOLL=y
CONFIG_TIMERFD=y
CONFIG_PROC_FS=y
CONFIG_PROC_SYSCTL=y
CONFIG_NET_NS=y
CONFIG_INET=y
CONFIG_VETH=y
CONFIG_TCP_CONG_ADVANCED=y
CONFIG_TCP_CONG_CUBIC=y
CONFIG_TCP_CONG_MINE=y
CONFIG_NET_SCH_NETEM=y
CONFIG_NET_SCH_TBF=y
"""

MAKEFILE = """VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 9
EXTRAVERSION =

tinyconfig:
\t@: > .config
olddefconfig:
\t@cp .config asked; cp ready.config .config
linux: kernel.sh
\t@echo '  CC      net/ipv4/tcp_mine.o'
\t@cp kernel.sh linux; chmod +x linux
modules: linux
\t@: > vmlinux.symvers
"""


def tree(at: Path, **contents: str) -> Path:
    """Write the tree; `contents` replaces files, by their path with `/` written as `__` and `.` as `_dot_`."""
    texts = {
        "Makefile": MAKEFILE,
        "Kconfig": "source all\n",
        "arch/um/Makefile": "# um\n",
        "arch/um/Kconfig": KCONFIG,
        "arch/um/include/shared/os.h": OS_H,
        "arch/um/kernel/um_arch.c": SETUP,
        "arch/um/os-Linux/util.c": UTIL,
        "arch/um/os-Linux/signal.c": ALARM,
        "arch/x86/um/user-offsets.c": OFFSETS,
        "arch/x86/Makefile.um": "# x86\n",
        "drivers/char/random.c": RANDOM,
        "fs/hostfs/hostfs_user.c": HOSTFS,
        "init/do_mounts.c": "static int __init mount_nodev_root(void)\n{\n}\n",
        "net/ipv4/Kconfig": "menuconfig TCP_CONG_ADVANCED\n\nconfig TCP_CONG_CUBIC\n\ttristate\n\nconfig TCP_CONG_MINE\n\ttristate\n",
        "scripts/Makefile.build": "# build\n",
        "kernel.sh": KERNEL,
        "ready.config": CONFIG,
    }
    texts |= {name.replace("__", "/").replace("_dot_", "."): text for name, text in contents.items()}
    for name, text in texts.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text(text, encoding="utf-8")
    return at


def older(at: Path, **contents: str) -> Path:
    """Write a tree of the shape before 5.19."""
    shape = {
        "init__do_mounts_dot_c": "void __init mount_root(void)\n{\n}\n",
        "arch__um__include__shared__os_dot_h": OLDER_OS_H,
        "arch__um__os-Linux__util_dot_c": OLDER_UTIL,
    }
    return tree(at, **(shape | contents))
