"""Two hosts with the router's links between them, and a program in each: ``python enter.py python between.py``; orders as JSON come in.

The orders are ``live`` (what `windtunnel.backends.live.orders.make` returns, for one flow), ``first`` (the receiver's program) and
``second`` (the sender's): lists of words, in which ``{first}`` and ``{second}`` are addresses. What the first program prints behind the
word ``token`` is in the second one's environment. The answer has both codes and texts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from windtunnel.live import lab, namespaces
from windtunnel.live.namespaces import Host
from windtunnel.live.router import Router


def started(host: Host, words: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    with namespaces.inside(host.namespace):
        return subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | environment
        )


def main() -> None:
    namespaces.die_with_parent()
    orders: dict[str, Any] = json.load(sys.stdin)
    flow = orders["live"]["flows"][0]
    flow["sysctls"] = [*flow["sysctls"], *orders.get("sysctls", [])]
    (ends,) = lab._hosts([flow])
    places = {"second": ends[0].address, "first": ends[1].address}
    router = Router([ends])
    router.begin(orders["live"]["spec"], time.monotonic_ns())
    first = started(ends[1], [word.format(**places) for word in orders["first"]], {})
    assert first.stdout is not None
    line = first.stdout.readline().split()
    environment = {"WINDTUNNEL_TOKEN": line[1]} if line[:1] == ["token"] else {}
    began = time.monotonic()
    second = started(ends[0], [word.format(**places) for word in orders["second"]], environment)
    if "ends_first_at" in orders:
        while not os.path.exists(orders["ends_first_at"]) and second.poll() is None:
            time.sleep(0.1)
        time.sleep(1.5)
        first.kill()
    if "kills_second_at" in orders:
        while not os.path.exists(orders["kills_second_at"]) and second.poll() is None:
            time.sleep(0.1)
        second.kill()
        time.sleep(2.0)
        first.terminate()
    said, erred = second.communicate()
    took_s = time.monotonic() - began
    if orders.get("ends_first_behind"):
        time.sleep(1.0)
        first.terminate()
    try:
        first_said, first_erred = first.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        first.kill()
        first_said, first_erred = first.communicate()
    report = router.stop()
    router.close()
    answer = {
        "second": [second.returncode, said, erred],
        "first": [first.returncode, " ".join(line) + "\n" + first_said, first_erred],
        "took_s": took_s,
        "links": report["links"],
        "flows": report["flows"],
    }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
