"""The vectors of `Tests/Vectors` against the client and the rules of these tests, and against the documentation. No gateway."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outbox import Outbox
from sender_rules import Refused, check_entry, read_control
from vectors import TESTS, bytes_of, full_text, vectors
from wire import (
    APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, RESERVED, SEALED, SYSTEM, TARGETED, Entry, Outgoing, WireError,
    entries,
)  # fmt: skip

FLAGS = {
    "reliable": RELIABLE, "targeted": TARGETED, "sealed": SEALED, "existing": EXISTING, "reserved": RESERVED,
    "system": SYSTEM,
}  # fmt: skip
RETENTION = {"none": 0, "append": APPEND, "replace": REPLACE, "remove": REMOVE}
CATALOG = TESTS.parent / "Sources/Codecs/Wire/Wire.docc"
WIRE = (CATALOG / "Wire.md").read_text()
ACTIVITY = (CATALOG / "DrawingActivity.md").read_text()


def each(name: str, table: str) -> pytest.MarkDecorator:
    """Parametrizes a test by the rows of a table."""
    rows = vectors(name)[table]
    ids = [(row.get("name") or full_text(row.get("text", f"{row.get('code')}")))[:60] for row in rows]
    return pytest.mark.parametrize("row", rows, ids=ids)


def flags(row: dict[str, Any]) -> int:
    return sum(FLAGS[flag] for flag in row["flags"]) | RETENTION[row["retention"]]


def key(row: dict[str, Any]) -> bytes | None:
    return bytes_of(row["key"].replace("-", "")) if "key" in row else None


# Entries.


@each("entries", "fromClients")
def test_an_entry_is_written_as_its_bytes_and_breaks_no_rule(row: dict[str, Any]) -> None:
    entry = Outgoing(row["type"], bytes_of(row["payload"]), flags(row), key(row), row.get("targets", ()))
    assert entry.encoded(row["clientSequence"]) == bytes_of(row["bytes"])
    check_entry(bytes_of(row["bytes"]))


@each("entries", "fromGateway")
def test_an_entry_of_the_gateway_is_read(row: dict[str, Any]) -> None:
    expected = Entry(
        flags(row), row["sequence"], row["sender"], row["clientSequence"], key(row), row["type"],
        bytes_of(row["payload"]),
    )  # fmt: skip
    assert list(entries(bytes_of(row["bytes"]))) == [expected]


def test_the_entries_cover_every_combination_of_flags() -> None:
    def combinations(sets_flag: Callable[[int], bool]) -> set[int]:
        return {bits for bits in range(256) if not bits & RESERVED and sets_flag(bits)}

    def is_from_client(bits: int) -> bool:
        retention = bits & REMOVE
        return not (
            bits & SYSTEM
            or (retention and (not bits & RELIABLE or bits & TARGETED))
            or (bits & EXISTING and retention not in (APPEND, REPLACE))
        )

    rows = vectors("entries")
    assert {flags(row) for row in rows["fromClients"]} == combinations(is_from_client)
    from_participants = {flags(row) for row in rows["fromGateway"] if not flags(row) & SYSTEM}
    assert from_participants == combinations(is_from_client)


@each("entries", "undividable")
def test_a_message_that_cannot_be_divided_breaks_its_rule(row: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        check_entry(bytes_of(row["bytes"]))
    assert {"error": refused.value.rule, **refused.value.more}.items() <= row.items()


@each("entries", "refusedFromClients")
def test_an_entry_that_is_refused_breaks_its_rule(row: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        check_entry(bytes_of(row["bytes"]))
    assert {"fault": refused.value.rule, **refused.value.more}.items() <= row.items()
    assert row["code"] == ("message-too-large" if row["fault"] == "payload-too-large" else "bad-entry")


@each("entries", "refusedFromGateway")
def test_an_invalid_entry_of_the_gateway_is_refused(row: dict[str, Any]) -> None:
    assert "python" in row["refusedBy"], "these tests check every rule of the format"
    with pytest.raises(WireError):
        list(entries(bytes_of(row["bytes"])))


# Control messages.


@each("controlMessages", "fromClients")
def test_a_control_message_is_read(row: dict[str, Any]) -> None:
    text = full_text(row["text"])
    assert read_control(text) == row["message"]
    if row.get("isWritten", True):
        assert json.loads(text) == row["message"]


@each("controlMessages", "refusedFromClients")
def test_a_control_message_that_is_refused_breaks_its_rule(row: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        read_control(full_text(row["text"]))
    assert {"error": refused.value.rule, **refused.value.more}.items() <= row.items()
    assert row["code"] == "bad-request"


@each("controlMessages", "fromGateway")
def test_a_control_message_of_the_gateway_has_one_known_member(row: dict[str, Any]) -> None:
    ((name, members),) = row["message"].items()
    assert f'"{name}"' in WIRE
    told = json.loads(full_text(row["text"]))
    assert {member: told[name][member] for member in members} == members
    if row.get("isWritten", True):
        assert told == row["message"]
    if name == "error":
        assert members["code"] in error_codes()


def test_every_control_message_of_the_documentation_has_vectors() -> None:
    rows = vectors("controlMessages")
    for sender, table in (("client", "fromClients"), ("gateway", "fromGateway")):
        lines = re.findall(rf"^\| {sender} \| (.+?) \|", WIRE, re.MULTILINE)
        documented = {name for line in lines for name in re.findall(r'`\{"(\w+)"', line)}
        assert {name for row in rows[table] for name in row["message"]} == documented


# Close codes.


def error_codes() -> set[str]:
    section = WIRE.split("### Error codes")[1].split("### Limits")[0]
    return set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE))


def close_codes() -> dict[int, set[str]]:
    section = WIRE.split("### Close codes")[1].split("### Error codes")[0]
    rows = re.findall(r"^\| ([\d, ]+) \| (.+?) \|", section, re.MULTILINE)
    return {int(code): set(re.findall(r"`([a-z-]+)`", words)) for codes, words in rows for code in codes.split(",")}


def test_close_codes_and_their_reasons_are_those_of_the_documentation() -> None:
    rows, documented = vectors("closeCodes"), close_codes()
    assert documented.keys() <= {row["code"] for row in rows["closes"]}
    for row in rows["reasons"]:
        assert len(row["text"].encode()) <= vectors("limits")["format"]["closeReasonBytes"]
        assert json.loads(row["text"])["code"] in documented[row["code"]]


@each("closeCodes", "closes")
def test_a_client_comes_back_only_after_the_close_codes_that_ask_for_it(row: dict[str, Any]) -> None:
    ends = {1000, 1002, 1003, 1007, 1008, 1009, 4004, 4005, 4010, 4026}
    if row.get("isJoined"):
        ends.remove(4005)
    assert row["action"] == (
        "end" if row["code"] in ends else "reconnect-as-new" if row["code"] == 4009 else "reconnect"
    )
    try:
        asked = json.loads(row["reason"])["retryAfterMs"]
    except (json.JSONDecodeError, TypeError, KeyError):
        asked = 0
    least = {4005: 1_000, 4029: 5_000}.get(row["code"], 0)
    if row["action"] != "end":
        assert row["afterMs"] == max(least, min(60_000, asked) if isinstance(asked, int | float) else 0)


# The outbox.


class Script:
    """The outbox of these tests' client, driven by the steps of a script."""

    def __init__(self) -> None:
        self.outbox = Outbox()
        self.refused: set[bytes] = set()
        self.epoch, self.after, self.token = "", None, None
        self.may_send, self.paused_ms, self.is_tail = False, 0, False

    def take(self, step: dict[str, Any]) -> None:
        if step.get("begin"):
            for one in ({"open": True, "resume": {}}, {"joined": {
                "resumed": False, "number": 1, "epoch": "e", "sequence": 10, "committed": 0, "acknowledged": 0,
            }}, {"catchUp": {"kind": "snapshot", "epoch": "e", "sequence": 10}}, {"caughtUp": 10}):  # fmt: skip
                self.take(one)
            return
        for payload in step.get("send", []):
            self.outbox.append(Outgoing("T", payload.encode()))
        if "resume" in step:
            assert self.resume() == step["resume"], step
        if joined := step.get("joined"):
            self.join(joined)
        if catch_up := step.get("catchUp"):
            self.epoch, self.is_tail = catch_up["epoch"], catch_up["kind"] == "tail"
            self.after = self.after if self.is_tail else None
        if "caughtUp" in step:
            self.after, self.may_send, self.is_tail = step["caughtUp"], True, False
        for client_sequence, sequence in step.get("echo", []):
            self.applied(sequence)
            self.outbox.came_back(client_sequence, sequence)
        for sequence in step.get("others", []):
            self.applied(sequence)
        if "committed" in step:
            self.outbox.commit(step["committed"])
        if error := step.get("error"):
            self.refuse(error)
        self.paused_ms = max(0, self.paused_ms - step.get("passMs", 0))
        if "cut" in step or "closed" in step:
            self.may_send, self.is_tail = False, False
            self.token = None if step.get("closed") == 4009 else self.token
        assert self.frames() == [tuple(frame) for frame in step.get("frames", [])], step
        if state := step.get("state"):
            assert self.state() | state == self.state(), step

    def join(self, joined: dict[str, Any]) -> None:
        if joined["resumed"]:
            is_same = joined["epoch"] == self.epoch
            self.outbox.resumed(
                joined["acknowledged"], joined["sequence"], joined["committed"], is_same_epoch=is_same
            )
        else:
            self.outbox.begins_anew(keeps_acknowledged=self.token is not None)
        self.token = joined["number"]

    def applied(self, sequence: int) -> None:
        if self.after is not None and (self.may_send or self.is_tail):
            self.after = max(self.after, sequence)

    def refuse(self, error: dict[str, Any]) -> None:
        if error["code"] == "sequence-gap":
            self.outbox.send_again_from(error["expected"])
        elif "retryAfterMs" in error:
            self.paused_ms = error["retryAfterMs"]
            self.outbox.send_again_from(error["clientSequence"])
        else:
            (kept,) = [k for k in self.kept() if k.client_sequence == error["clientSequence"]]
            self.refused.add(kept.entry.payload)
            self.outbox.refused(error["clientSequence"])

    def resume(self) -> dict[str, Any]:
        if self.token is None:
            return {}
        position = {} if self.after is None else {"epoch": self.epoch, "after": self.after}
        return position | {"next": self.outbox.next}

    def kept(self) -> list[Any]:
        return list(self.outbox._kept)

    def state(self) -> dict[str, Any]:
        kept = [k for k in self.kept() if k.entry.payload not in self.refused]
        return {
            "next": self.outbox.next,
            "kept": [k.entry.payload.decode() for k in kept],
            "unacknowledged": [k.entry.payload.decode() for k in kept if k.sequence is None],
        }

    def frames(self) -> list[tuple[int, str | None]]:
        """Returns what the client sends now. A refused entry is sent again as it is, to use up its client sequence."""
        frames: list[tuple[int, str | None]] = []
        while self.may_send and not self.paused_ms and self.outbox.has_unsent:
            message = self.outbox.take(1)
            if message:
                payload = message[-1:]
                frames.append(
                    (int.from_bytes(message[6:10]), None if payload in self.refused else payload.decode())
                )
        return frames


@each("outbox", "scripts")
def test_the_outbox_follows_the_script(row: dict[str, Any]) -> None:
    script = Script()
    for step in row["steps"]:
        script.take(step)


# The backoff.


def test_the_growth_of_the_delay_follows_from_its_numbers() -> None:
    rule = vectors("backoff")
    for row in rule["growth"]:
        bound = 0 if row["attempt"] == 0 else min(
            rule["longestMs"], rule["firstMs"] * rule["factor"] ** (row["attempt"] - 1)
        )  # fmt: skip
        assert (row["leastMs"], row["mostMs"]) == (bound * rule["jitter"]["least"], bound * rule["jitter"]["most"])


@each("backoff", "scripts")
def test_the_delays_of_a_script_follow_from_the_rule(row: dict[str, Any]) -> None:
    rule, factor = vectors("backoff"), 0.75
    now, attempt, short_lived = 0, 0, 0
    works_since: int | None = None
    for step in row["steps"]:
        now += step.get("passMs", 0)
        if "works" in step:
            works_since = now
        if "lost" not in step:
            continue
        if works_since is not None:
            short_lived = 0 if now - works_since >= rule["stableMs"] else short_lived + 1
            attempt = 0 if short_lived <= 1 else attempt
            works_since = None
        asked = min(step.get("askedMs", 0), rule["longestAskedMs"])
        longest = rule["longestUnreachableMs" if "unreachable" in step else "longestMs"]
        bound = min(longest, rule["firstMs"] * rule["factor"] ** (attempt - 1))
        own = min(asked, rule["longestSpreadMs"]) if attempt == 0 else bound
        assert step["delayMs"] == asked + int(own * factor), step
        now, attempt = now + step["delayMs"], attempt + 1


# The palette and the limits.


def test_the_palette_is_that_of_the_documentation() -> None:
    colors = vectors("palette")["colors"]
    section = ACTIVITY.split("### Colors")[1].split("###")[0]
    rows = re.findall(r"^\| (\d+) \| (\w+) \| `(#[0-9a-f]{6})` \|", section, re.MULTILINE)
    assert [(int(number), name, rgb) for number, name, rgb in rows] == [
        (color["number"], color["name"], color["rgb"]) for color in colors
    ]
    assert [color["number"] for color in colors] == list(range(11))
    assert len({color["rgb"] for color in colors}) == 11


def test_the_nearest_color_has_the_least_distance() -> None:
    def channels(rgb: str) -> bytes:
        return bytes.fromhex(rgb[1:])

    table = vectors("palette")
    for row in table["nearest"]:
        distances = [
            sum((a - b) ** 2 for a, b in zip(channels(row["rgb"]), channels(color["rgb"]), strict=True))
            for color in table["colors"]
        ]
        assert distances.index(min(distances)) == row["number"]


def test_the_limits_are_those_of_the_documentation() -> None:
    section = WIRE.split("### Limits")[1]
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", section, re.MULTILINE)
    assert [(name, int(value.replace(",", ""))) for name, value in rows] == list(
        vectors("limits")["defaults"].items()
    )


def test_the_vectors_are_found_from_any_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(list((TESTS / "Vectors").glob("*.json"))) == 7
    assert vectors("palette")["colors"]
