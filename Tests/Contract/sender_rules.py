"""The rules for senders (Wire.md), written independently of the gateway: the first rule that a client's message breaks."""

from __future__ import annotations

import json
import struct
import unicodedata
from typing import Any

from vectors import vectors
from wire import APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, RESERVED, RETENTION, SYSTEM, TARGETED

LIMITS = vectors("limits")
FORMAT = LIMITS["format"]
NAMES = {0: "none", APPEND: "append", REPLACE: "replace", REMOVE: "remove"}


class Refused(Exception):
    """A broken rule: its name, and the numbers that explain it."""

    def __init__(self, rule: str, **more: Any) -> None:
        super().__init__(rule)
        self.rule, self.more = rule, more


def check_entry(message: bytes) -> None:
    """Checks the first entry of a client's binary message."""
    if len(message) < 4:
        raise Refused("length-truncated", have=len(message))
    (length,) = struct.unpack_from(">I", message)
    if length < 6:
        raise Refused("too-short", length=length, needed=6)
    if length > len(message) - 4:
        raise Refused("exceeds-message", length=length, available=len(message) - 4)
    flags, type_length, sequence = struct.unpack_from(">BBI", message, 4)
    body = message[10 : 4 + length]
    needed = type_length + (16 if flags & RETENTION else 0) + (2 if flags & TARGETED else 0)
    if needed > len(body):
        raise Refused("too-short", length=length, needed=6 + needed)
    targets = 0
    if flags & RETENTION:
        body = body[16:]
    if flags & TARGETED:
        (targets,) = struct.unpack_from(">H", body)
        needed += 4 * targets
        if needed > length - 6:
            raise Refused("too-short", length=length, needed=6 + needed)
        body = body[2 + 4 * targets :]
    _check_fields(flags, sequence, targets, body[:type_length], body[type_length:])


def _check_fields(flags: int, sequence: int, targets: int, name: bytes, payload: bytes) -> None:
    retention = NAMES[flags & RETENTION]
    is_reliable = bool(flags & RELIABLE)
    if flags & SYSTEM:
        raise Refused("system-flag")
    if flags & RESERVED:
        raise Refused("reserved-flag")
    if is_reliable and sequence == 0:
        raise Refused("no-sequence-on-reliable")
    if not is_reliable and retention != "none":
        raise Refused("retention-on-unreliable", retention=retention)
    if not is_reliable and sequence:
        raise Refused("sequence-on-unreliable", clientSequence=sequence)
    if flags & TARGETED and retention != "none":
        raise Refused("retention-with-targets", retention=retention)
    if targets > FORMAT["targets"]:
        raise Refused("too-many-targets", limit=FORMAT["targets"], actual=targets)
    if flags & EXISTING and retention not in ("append", "replace"):
        raise Refused("existing-without-append-or-replace", retention=retention)
    if not name:
        raise Refused("empty-type")
    try:
        name.decode()
    except UnicodeDecodeError:
        raise Refused("type-not-utf8") from None
    if retention == "remove" and payload:
        raise Refused("remove-with-payload", length=len(payload))
    limit = LIMITS["defaults"]["messageBytes"]
    if len(payload) > limit:
        raise Refused("payload-too-large", limit=limit, actual=len(payload))


def read_control(text: str) -> dict[str, Any]:
    """Returns the values that the gateway reads from a client's control message."""
    limit = FORMAT["controlMessageBytes"]
    if len(text.encode()) > limit:
        raise Refused("control-too-long", limit=limit, actual=len(text.encode()))
    message = _parse(text)
    known = [name for name in CONTROL if name in message] if isinstance(message, dict) else []
    if len(known) != 1:
        raise Refused("unknown-control")
    (name,) = known
    if not isinstance(message[name], dict):
        raise Refused("invalid-member", member=name)
    return {name: CONTROL[name](message[name])}


def _parse(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=lambda constant: json.loads("?"))
    except (json.JSONDecodeError, RecursionError):
        raise Refused("not-json") from None
    if _depth(value) > FORMAT["controlNesting"]:
        raise Refused("not-json")
    return value


def _depth(value: Any) -> int:
    if isinstance(value, str):
        run = 0
        for character in value:
            run = run + 1 if unicodedata.combining(character) else 0
            if run > FORMAT["combiningCharacters"]:
                raise Refused("not-json")
    if isinstance(value, dict):
        return 1 + max((max(_depth(name), _depth(inner)) for name, inner in value.items()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def _text(members: dict[str, Any], name: str) -> dict[str, str]:
    value = members.get(name)
    if value is None:
        return {}
    if not isinstance(value, str):
        raise Refused("invalid-member", member=name)
    # A surrogate without its other half, which a browser may send, is replaced.
    return {name: "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)}


def _integer(members: dict[str, Any], name: str, bits: int) -> dict[str, int]:
    value = members.get(name)
    if value is None:
        return {}
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise Refused("invalid-member", member=name)
    if not 0 <= value < 1 << bits:
        raise Refused("invalid-member", member=name)
    return {name: int(value)}


def _profile(members: dict[str, Any]) -> dict[str, Any]:
    return _text(members, "name") | _text(members, "color")


def _join(members: dict[str, Any]) -> dict[str, Any]:
    profile, resume = _profile(members), members.get("resume")
    if resume is None:
        return profile
    if not isinstance(resume, dict):
        raise Refused("invalid-member", member="resume")
    token = _text(resume, "token")
    # A malformed token counts as missing, and so does client sequence 0.
    if len(token.get("token", "")) != 22:
        token = {}
    following = _integer(resume, "next", 32)
    if following.get("next") == 0:
        following = {}
    return profile | {
        "resume": token | _text(resume, "epoch") | _integer(resume, "after", 64) | following
    }


def _activity(members: dict[str, Any]) -> dict[str, Any]:
    change: dict[str, Any] = _text(members, "title")
    limit, length = FORMAT["activityTextScalars"], len(change.get("title", "x"))
    if not 1 <= length <= limit:
        raise Refused("text-length", member="title", limit=limit, actual=length)
    if "payload" in members:
        change["payload"] = members["payload"]
        length = len(json.dumps(change["payload"], ensure_ascii=False, separators=(",", ":")).encode())
        if length > (limit := FORMAT["activityPayloadBytes"]):
            raise Refused("payload-too-large", limit=limit, actual=length)
    return change


CONTROL = {
    "join": _join, "wait": _profile, "leave": lambda _: {}, "end": lambda _: {}, "profile": _profile,
    "activity": _activity,
}  # fmt: skip
