"""The retained state of a session, rebuilt from entries as by a client."""

from __future__ import annotations

import json
import uuid
from typing import Any

from wire import APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, Entry

Held = dict[bytes, tuple[tuple[int, int, int, str, bytes], ...]]


class Retained:
    """For each key, the latest replace and the later appends; also participants, activity and attachments."""

    def __init__(self) -> None:
        self.keys: dict[bytes, list[Entry]] = {}
        self.people: dict[str, dict[str, Any]] = {}
        self.waiting: list[dict[str, Any]] = []
        self.past: dict[str, dict[str, Any]] = {}
        self.activity: dict[str, Any] | None = None
        self.attachments: dict[str, dict[str, Any]] = {}
        self.new_session: str | None = None

    def apply(self, entry: Entry) -> None:
        """Applies one entry. Entries are applied in order."""
        if entry.is_system:
            self._apply_system(entry)
        elif entry.flags & RELIABLE and entry.key is not None and not entry.flags & EXISTING:
            if entry.retention == APPEND:
                self.keys.setdefault(entry.key, []).append(entry)
            elif entry.retention == REPLACE:
                self.keys[entry.key] = [entry]
            elif entry.retention == REMOVE:
                self.keys.pop(entry.key, None)

    def held(self) -> Held:
        """Returns the retained client entries in a comparable form."""
        return {
            key: tuple((e.sequence, e.sender, e.client_sequence, e.type, e.payload) for e in kept)
            for key, kept in self.keys.items()
        }

    def payloads(self) -> dict[bytes, list[bytes]]:
        """Returns the payloads under each key."""
        return {key: [entry.payload for entry in kept] for key, kept in self.keys.items()}

    def _apply_system(self, entry: Entry) -> None:
        if entry.type == "participants":
            self._apply_participants(json.loads(entry.payload), is_state=entry.sequence == 0)
        elif entry.type == "activity":
            self.activity = json.loads(entry.payload)
        elif entry.type == "newSession":
            self.new_session = json.loads(entry.payload)["session"]
        elif entry.type == "attachment":
            self._apply_attachment(entry)

    def _apply_attachment(self, entry: Entry) -> None:
        if entry.key is None:
            raise AssertionError(f"an attachment without a key: {entry}")
        id_ = str(uuid.UUID(bytes=entry.key)).upper()
        if entry.retention == REMOVE:
            self.attachments.pop(id_, None)
            return
        attachment = json.loads(entry.payload)
        if entry.retention != REPLACE or attachment["id"] != id_:
            raise AssertionError(f"an attachment is retained under its id: {entry}")
        self.attachments[id_] = attachment

    def _apply_participants(self, change: dict[str, Any], is_state: bool) -> None:
        for person in change.get("joined", []) + change.get("changed", []):
            self.people[person["id"]] = person
        for person in change.get("left", []):
            gone = self.people.pop(person["id"], None)
            if gone is not None:
                self.past[person["id"]] = gone
        for person in change.get("past", []):
            if not is_state:
                raise AssertionError("past people are told in the state at N only")
            self.past[person["id"]] = person
