"""Three hosts with a server of SSH each, and a command that is run beside them: ``python enter.py python afar.py``; orders as JSON come in.

The hosts are namespaces: one routes, the two others have a device towards it and nothing else in common with it. All three are reached from
the command's namespace by devices of their own. The orders are ``folder``, ``command`` (words), ``hosts`` (the text of a file of hosts, in
which ``{a}``, ``{b}`` and ``{r}`` are what ssh is called with), and at most one of ``loses`` (a host whose server's connections are killed
while the run is on), ``kills`` (a signal for the command), ``twice`` (it is started once more beside itself). The answer has codes, texts,
and what the hosts were before and are afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from windtunnel.live import namespaces, netlink

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin")
SYSCTLS = ("tcp_rmem", "tcp_wmem", "tcp_no_metrics_save", "tcp_moderate_rcvbuf", "conf/all/rp_filter", "tcp_sack", "tcp_ecn")
LOCK = "@windtunnel-live"
PORT = 2222


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def wire(near: int, far: int, names: tuple[str, str], network: str) -> None:
    """Two namespaces with a pair of devices between them, with addresses .1 and .2."""
    with namespaces.inside(near):
        ip("link", "add", names[0], "type", "veth", "peer", "name", names[1], "netns", f"/proc/{os.getpid()}/fd/{far}")
    for place, name, number in ((near, names[0], 1), (far, names[1], 2)):
        with namespaces.inside(place):
            ip("addr", "add", f"{network}.{number}/24", "dev", name)
            ip("link", "set", "dev", name, "up")


def server(folder: Path, host: int) -> subprocess.Popen[bytes]:
    with namespaces.inside(host):
        return subprocess.Popen([str(SSHD), "-D", "-e", "-f", str(folder / "sshd_config")], stderr=subprocess.DEVNULL)


def keys(folder: Path) -> None:
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    (folder / "authorized").write_text((folder / "user.pub").read_text())
    settings = {"Port": PORT, "HostKey": folder / "host", "AuthorizedKeysFile": folder / "authorized", "StrictModes": "no"}
    settings |= {"PidFile": "none", "UsePAM": "no", "PermitRootLogin": "yes"}
    # What the server starts shall be known as the test's: it clears the environment.
    settings |= {"SetEnv": f"WINDTUNNEL_TESTS={os.environ['WINDTUNNEL_TESTS']}"}
    (folder / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))


def state(host: int) -> dict[str, Any]:
    """What a run could leave on a host."""
    with namespaces.inside(host):
        devices = [one["ifname"] for one in json.loads(ip("-j", "link")) if one["ifname"] != "lo"]
        forwarding = [f"conf/{device}/forwarding" for device in devices]
        base = Path("/proc/thread-self/net")
        return {
            "addresses": [[one["ifname"], sorted(a["local"] for a in one["addr_info"])] for one in json.loads(ip("-j", "-4", "addr"))],
            "routes": sorted(ip("route").splitlines()),
            "neighbours": [one["dst"] for one in json.loads(ip("-j", "neigh", "show", "nud", "permanent") or "[]")],
            "offloads": {device: netlink.offloads(device) for device in devices},
            "segments": [one.get("gso_max_segs") for one in json.loads(ip("-j", "-d", "link"))],
            "sysctls": {name: Path("/proc/sys/net/ipv4", name).read_text().split() for name in (*SYSCTLS, *forwarding)},
            "locks": LOCK in (base / "unix").read_text(),
            "sockets": sorted(line.split()[1] for line in (base / "tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"),
            "packet": len((base / "packet").read_text().splitlines()) - 1,
        }


def listening(hosts: dict[str, int]) -> None:
    """Wait until each host's server takes connections."""
    until = time.monotonic() + 30
    while time.monotonic() < until and not all(
        any(one.endswith(f":{PORT:04X}") for one in state(host)["sockets"]) for host in hosts.values()
    ):
        time.sleep(0.05)


def programs(hosts: dict[str, int]) -> dict[str, list[int]]:
    """Processes in each host's namespace, but for its server's."""
    named = {os.fstat(number).st_ino: name for name, number in hosts.items()}
    found: dict[str, list[int]] = {name: [] for name in hosts}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words, where = (process / "cmdline").read_bytes(), os.stat(process / "ns/net").st_ino
        except OSError:
            continue
        if where in named and b"sshd" not in words.split(b"\0")[0]:
            found[named[where]].append(int(process.name))
    return found


def running(hosts: dict[str, int], command: subprocess.Popen[str]) -> None:
    """Wait until the run itself is on: the receiver has taken the connection, and the router has its socket."""
    until = time.monotonic() + 60
    while time.monotonic() < until and command.poll() is None:
        with namespaces.inside(hosts["r"]):
            routes = len(Path("/proc/thread-self/net/packet").read_text().splitlines()) > 1
        if routes:
            break
        time.sleep(0.05)
    # The proof, the connections, and some of the run.
    time.sleep(5.0)


def lose(hosts: dict[str, int], name: str) -> None:
    """Kill what serves the connections of a host: of its server's processes those that another one started."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words, where = (process / "cmdline").read_bytes(), os.stat(process / "ns/net").st_ino
        except OSError:
            continue
        if where == os.fstat(hosts[name]).st_ino and b"sshd: " in words and b"[listener]" not in words:
            os.kill(int(process.name), signal.SIGKILL)


def main() -> None:
    namespaces.die_with_parent()
    orders: dict[str, Any] = json.load(sys.stdin)
    folder, here = Path(orders["folder"]), namespaces.current()
    keys(folder)
    Path("/run/sshd").mkdir(exist_ok=True)
    hosts = {name: namespaces.new() for name in ("a", "b", "r")}
    for number, name in enumerate(hosts):
        wire(here, hosts[name], (f"to{name}", "manage"), f"10.88.{number}")
    wire(hosts["r"], hosts["a"], ("left", "wire"), "10.89.1")
    wire(hosts["r"], hosts["b"], ("right", "wire"), "10.89.2")
    servers = [server(folder, host) for host in hosts.values()]
    ssh = (
        f"-p {PORT} -i {folder / 'user'} -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder / 'known'} -o LogLevel=ERROR root@10.88."
    )
    called = {name: f"{ssh}{number}.2" for number, name in enumerate(hosts)}
    if orders.get("at_router"):
        # By the devices that the run uses too.
        called = {name: f"{ssh.removesuffix('10.88.')}10.89.{number + 1}.2" for number, name in enumerate(("a", "b"))}
    text = orders["hosts"]
    for name, target in called.items():
        text = text.replace(f"{{{name}}}", target)
    (folder / "hosts.toml").write_text(text)
    listening(hosts)
    before = {name: state(host) for name, host in hosts.items()}
    place = hosts["r"] if orders.get("at_router") else here
    with namespaces.inside(place):
        first, *others = [
            subprocess.Popen(orders["command"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(1)
        ]
    if {"loses", "kills", "twice"} & set(orders):
        running(hosts, first)
    if "loses" in orders:
        lose(hosts, orders["loses"])
    if "kills" in orders:
        first.send_signal(orders["kills"])
    if "twice" in orders:
        with namespaces.inside(place):
            others = [subprocess.Popen(orders["command"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)]
    answers = []
    for one in (*others, first):
        said, erred = one.communicate()
        answers.append([one.returncode, said, erred])
    until = time.monotonic() + 10.0
    while time.monotonic() < until and (any(programs(hosts).values()) or before != {name: state(host) for name, host in hosts.items()}):
        time.sleep(0.1)
    answer = {"ended": answers, "before": before, "after": {name: state(host) for name, host in hosts.items()}, "left": programs(hosts)}
    for one in servers:
        one.kill()
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
