"""Shared parts of the Python servers: rooms by the path of a member's URL, and the snapshot that its query
requests."""

from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

BLOCK = b"a" * 65_536


class Rooms:
    def __init__(self) -> None:
        self._members: defaultdict[str, set] = defaultdict(set)

    def of(self, path: str) -> set:
        """Returns the members of the room in a request's target."""
        return self._members[urlsplit(path).path]


def snapshot(path: str) -> Iterator[bytes]:
    """Yields the messages that a new member gets first."""
    left = int(parse_qs(urlsplit(path).query).get("snapshot", ["0"])[0])
    while left > 0:
        yield BLOCK[:left]
        left -= len(BLOCK)
