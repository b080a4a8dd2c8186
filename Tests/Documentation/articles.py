#!/usr/bin/env python3
"""Checks README, the guides and the articles without a build: `articles.py` prints what is wrong.

- A link leads to a file, and its anchor to a heading of that file. `<doc:NAME>` names an article of the same catalogue.
- A path in a text, such as `Tests/Browser/run`, exists.
- A sample in JavaScript imports what the page's modules export.
- The guide to the settings lists every setting, and the guide to the limits only limits.
- README is one screen: 90 lines of at most 130 columns.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
GUIDES = ROOT / "Sources/Commands/drawtogether/drawtogether.docc"
ARGUMENTS = ROOT / "Sources/Commands/drawtogether/Arguments"
LIMITS = ROOT / "Sources/Codecs/Wire/Session/Limits+Table.swift"
LINES, COLUMNS = 90, 130
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
IMPORT = re.compile(r"^import \{([^}]+)\} from '/(js/[^']+)';$", re.M)
# The files of a reader's own program or page.
OWN = {"Sources/Mirror/main.swift", "Sources/Mirror/DrawTogether.swift", "Public/notes.js"}
PATH = re.compile(r"`((?:Sources|Tests|Public|\.ci|\.deploy|\.github)(?:/[\w.+-]+)+/?)`")


def articles() -> list[Path]:
    return [README, *sorted((ROOT / ".github").glob("*.md")), *sorted(ROOT.glob("Sources/*/*/*.docc/*.md"))]


def anchors(text: str) -> set[str]:
    """The anchors of the headings, in lower case, as GitHub forms them and as DocC does."""
    headings = re.findall(r"^#{1,6} (.+)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w -]", "", heading).strip().replace(" ", "-").lower() for heading in headings}


def links(article: Path, text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)|<(doc:[^>]+)>", text):
        target = target[0] or target[1]
        if re.match(r"https?:", target):
            continue
        name, _, anchor = target.removeprefix("doc:").partition("#")
        found = article
        if name:
            found = article.parent / (f"{name}.md" if target.startswith("doc:") else name)
        if not found.exists():
            yield f"there is no {target}"
        elif anchor and anchor.lower() not in anchors(found.read_text()):
            yield f"there is no heading {target}"


def samples(text: str) -> Iterator[str]:
    for language, code in FENCE.findall(text):
        if language != "js":
            continue
        for names, path in IMPORT.findall(code):
            module = ROOT / "Public" / path
            source = module.read_text() if module.exists() else ""
            for name in (name.strip() for name in names.split(",")):
                if not re.search(rf"^export (?:async )?(?:class|function|const) {name}\b", source, re.M):
                    yield f"a sample imports {name}, which {path} does not export"


def settings() -> Iterator[str]:
    """The differences between the guides and the tables of the program."""
    table = (ARGUMENTS / "Setting+Table.swift").read_text()
    known = set(re.findall(r'(?:Setting|number|choice)\(\s*(?:switch: )?"([a-z-]+)"', table))
    listed: set[str] = set()
    for row in re.findall(r"^\| (`--.*?) \| ", (GUIDES / "Settings.md").read_text(), re.M):
        listed |= set(re.findall(r"--([a-z-]+)", row))
    yield from (f"Settings.md lacks --{name}" for name in sorted(known - listed))
    yield from (f"there is no setting --{name} as in Settings.md" for name in sorted(listed - known))
    limits = set(re.findall(r'name: "(\w+)"', LIMITS.read_text()))
    for row in re.findall(r"^\| .*`[a-z]+[A-Z].*$", (GUIDES / "Limits.md").read_text(), re.M):
        yield from (f"there is no limit {name} as in Limits.md" for name in re.findall(r"`(\w+)`", row) if name not in limits)


def shape() -> Iterator[str]:
    lines = README.read_text().splitlines()
    if len(lines) > LINES:
        yield f"{len(lines)} lines, and at most {LINES} are one screen"
    yield from (f"line {number} has {len(line)} columns" for number, line in enumerate(lines, 1) if len(line) > COLUMNS)


def faults() -> list[str]:
    """What is wrong with the texts, a line for each fault."""
    found = [f"README.md: {fault}" for fault in shape()] + [f"guides: {fault}" for fault in settings()]
    for article in articles():
        text = article.read_text()
        missing = (f"there is no {path}" for path in PATH.findall(text) if path not in OWN and not (ROOT / path).exists())
        found += [f"{article.relative_to(ROOT)}: {fault}" for fault in (*links(article, text), *missing, *samples(text))]
    return found


if __name__ == "__main__":
    wrong = faults()
    print("\n".join(wrong) or "ok")
    sys.exit(bool(wrong))
