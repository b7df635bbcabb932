"""Enter a network namespace of one's own, and become the program that is named: ``python -I enter.py PROGRAM [ARGUMENT...]``.

Imports nothing of the package, and no threads: a user namespace is entered by a process with one thread alone. Who is root keeps its user
namespace; any other user becomes root of a new one. The program dies with the process that started this one, and its namespaces with it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG = 1
REFUSED = 77
"""The exit code when the machine does not allow it; what is missing stands on the standard error, a line."""


def _unshare(libc: ctypes.CDLL, flags: int) -> int:
    """Return 0, or the error's number."""
    return 0 if libc.unshare(flags) == 0 else ctypes.get_errno()


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, path) from None
    finally:
        os.close(file)


def enter() -> str | None:
    """Enter the namespaces.

    Returns
    -------
    str or None
        The right that is missing, a line; None when it is done.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    user, group = os.geteuid(), os.getegid()
    error = _unshare(libc, CLONE_NEWNET)
    if not error:
        return None
    if user == 0:
        return f"CAP_SYS_ADMIN, which a new network namespace needs ({os.strerror(error)}), is missing, though this is root"
    error = _unshare(libc, CLONE_NEWUSER | CLONE_NEWNET)
    if error:
        return (
            f"CAP_SYS_ADMIN is missing, and a user namespace of one's own is refused ({os.strerror(error)}): run as root, or allow user "
            "namespaces (sysctl user.max_user_namespaces; kernel.unprivileged_userns_clone; on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"0 {user} 1")
        _write("/proc/self/gid_map", f"0 {group} 1")
    except OSError as problem:
        return f"CAP_NET_ADMIN is missing in the user namespace of one's own: {problem.filename} cannot be written ({problem.strerror})"
    return None


if __name__ == "__main__":
    missing = enter()
    if missing is not None:
        print(missing, file=sys.stderr)
        sys.exit(REFUSED)
    os.execv(sys.argv[1], sys.argv[1:])
