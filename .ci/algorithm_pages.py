"""Pages of algorithms that have none: made of what a law's file says at its top, and of the catalogue.

The file opens with a line, `name: what it does.`, and then has paragraphs that begin with a word and a colon: Source, Equations, State,
Departures, Limits, Checked. A page that is there is left alone; from the day it is made it is written by hand.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LAWS = ROOT / "crates/cc/src/algorithms"
PAGES = ROOT / "docs/algorithms"
NEEDED = ("Source", "Equations", "State", "Departures", "Limits", "Checked")


def opening(name: str) -> dict[str, str]:
    """Return the paragraphs at the top of a law's file by their first word; that of the first line is empty."""
    stem = name.replace("-", "_")
    path = next(path for path in (LAWS / f"{stem}.rs", LAWS / stem / "mod.rs") if path.is_file())
    lines = [line[3:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("//!")]
    found: dict[str, str] = {}
    word = ""
    for line in lines:
        begun = re.match(r"([A-Z][a-z]+): (.*)", line)
        if begun and found:
            word = begun[1]
            line = begun[2]
        found[word] = f"{found.get(word, '')} {line}".strip()
    missing = [word for word in NEEDED if word not in found]
    if missing:
        sys.exit(f"{path.relative_to(ROOT)}: its opening has no paragraph {', '.join(missing)}; a page is made of it")
    return found


def page(row: dict[str, Any]) -> str:
    """Return the page of an algorithm."""
    name, said = row["name"], opening(row["name"])
    departures = said["Departures"]
    listed = "" if departures.lower().startswith("none") else f"| departure | reason |\n|---|---|\n| {departures} | See the source |\n\n"
    variants = "".join(f"| `{variant['name']}` | {variant['summary']} |\n" for variant in row["variants"])
    return (
        f"# {name}\n\n{row['summary']}\n\n"
        f"![{name}: window and queue of one flow, goodput of two, throughput against random loss](figures/{name}.svg)\n\n"
        f"**Source.** {said['Source']}\n\n**Equations.** {said['Equations']}\n\n**State.** {said['State']}\n\n"
        f"| variant | |\n|---|---|\n{variants}\n{listed}"
        f"**Limits.** {said['Limits']}\n\n**Checked.** {said['Checked']}\n"
    )


def with_rows(text: str, row: dict[str, Any]) -> str:
    """Return the README with the algorithm in both of its tables, at their ends."""
    name = row["name"]
    law = row["summary"].rstrip(".").replace("|", "\\|")
    first = f"| [{name}]({name}.md) | {law} | {' '.join('`' + variant['name'] + '`' for variant in row['variants'])} |"
    of_profile = {profile: variant + ("" if row["profile_belongs"][profile] else " *") for profile, variant in row["profiles"].items()}
    parts = re.split(r"(\n\n)", text)
    for index, part in enumerate(parts):
        header = part.strip().split("\n", 1)[0]
        if header.startswith("| name | law |"):
            parts[index] = f"{part}\n{first}"
        elif header.startswith("| name | `"):
            profiles = re.findall(r"`([^`]*)`", header)
            parts[index] = f"{part}\n| {name} | {' | '.join(of_profile[profile] for profile in profiles)} |"
    return "".join(parts)


def main() -> None:
    """Write what is missing, and say what was written."""
    rows = json.loads((ROOT / "python/windtunnel/scenario/catalogue.json").read_text(encoding="utf-8"))["algorithms"]
    for row in rows:
        path, readme = PAGES / f"{row['name']}.md", PAGES / "README.md"
        if not path.exists():
            path.write_text(page(row), encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
        text = readme.read_text(encoding="utf-8")
        if f"[{row['name']}]({row['name']}.md)" not in text:
            readme.write_text(with_rows(text, row), encoding="utf-8")
            print(f"wrote its rows in {readme.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
