"""Tests of the contract's second implementation itself: written-out bytes, and the outbox."""

from __future__ import annotations

import pytest

from outbox import Outbox
from retained import Retained
from room import append, key, note, remove, replace
from wire import APPEND, EXISTING, RELIABLE, TARGETED, Entry, Outgoing, WireError, entries

FROM_GATEWAY = bytes.fromhex(
    "00000018 01 04 0000000000000102 00000003 00000004 4e6f7465 6869".replace(" ", "")
)


def test_an_entry_to_the_gateway_is_laid_out_as_the_table_says() -> None:
    assert note("hi").encoded(5) == bytes.fromhex("0000000c01040000 00054e6f74656869".replace(" ", ""))
    kept = Outgoing("N", b"!", RELIABLE | APPEND, bytes(range(16))).encoded(1)
    assert kept.hex() == "00000018" + "03" + "01" + "00000001" + bytes(range(16)).hex() + "4e" + "21"
    aimed = Outgoing("N", b"!", RELIABLE | TARGETED, targets=[7, 8]).encoded(1)
    assert aimed.hex() == "00000012" + "09" + "01" + "00000001" + "0002" + "00000007" + "00000008" + "4e21"


def test_an_entry_from_the_gateway_is_read_as_the_table_says() -> None:
    (entry,) = entries(FROM_GATEWAY)
    assert entry == Entry(RELIABLE, 0x102, 3, 4, None, "Note", b"hi")
    assert len(list(entries(FROM_GATEWAY * 3))) == 3


def test_a_heartbeat_has_no_entries() -> None:
    assert list(entries(b"")) == []


@pytest.mark.parametrize("bytes_", [FROM_GATEWAY[:-1], FROM_GATEWAY + b"\0", b"\0\0\0\x01\x01"])
def test_invalid_entries_are_refused(bytes_: bytes) -> None:
    with pytest.raises(WireError):
        list(entries(bytes_))


def test_the_retained_state_follows_from_the_order() -> None:
    retained = Retained()
    sent = [
        append(1, "a"),
        replace(1, "b"),
        append(1, "c"),
        append(2, "d"),
        remove(2),
        append(3, "e", EXISTING),
    ]
    for n, out in enumerate(sent, 1):
        retained.apply(Entry(out.flags, n, 1, n, out.key, "Mark", out.payload))
    assert retained.payloads() == {key(1): [b"b", b"c"]}


def outbox_with(*texts: str) -> Outbox:
    outbox = Outbox()
    for text in texts:
        outbox.append(note(text))
    return outbox


def test_the_outbox_keeps_uncommitted_entries() -> None:
    outbox = outbox_with("a", "b", "c")
    assert outbox.take(1 << 16) == b"".join(note(t).encoded(n) for n, t in [(1, "a"), (2, "b"), (3, "c")])
    outbox.came_back(2, 50)
    outbox.commit(49)
    assert (len(outbox), outbox.next) == (3, 1)
    outbox.commit(50)
    assert (len(outbox), outbox.next) == (1, 3)


def test_a_resume_sends_unacknowledged_entries_again() -> None:
    outbox = outbox_with("a", "b", "c")
    outbox.take(1 << 16)
    outbox.resumed(acknowledged=1, sequence=9, committed=9, is_same_epoch=True)
    assert outbox.take(1 << 16) == note("b").encoded(2) + note("c").encoded(3)
    assert len(outbox) == 2


def test_a_new_epoch_also_sends_returned_entries_again() -> None:
    outbox = outbox_with("a", "b")
    outbox.take(1 << 16)
    outbox.came_back(2, 50)
    outbox.resumed(acknowledged=1, sequence=40, committed=40, is_same_epoch=False)
    assert outbox.take(1 << 16) == note("b").encoded(2)


def test_an_unknown_token_renumbers_the_kept_entries() -> None:
    outbox = outbox_with("a", "b", "c")
    outbox.take(1 << 16)
    outbox.came_back(1, 5)
    outbox.begins_anew(keeps_acknowledged=True)
    assert outbox.take(1 << 16) == b"".join(note(t).encoded(n) for n, t in [(1, "a"), (2, "b"), (3, "c")])


def test_resumed_elsewhere_keeps_only_what_is_unsent() -> None:
    outbox = outbox_with("a", "b")
    outbox.take(1 << 16)
    outbox.came_back(1, 5)
    outbox.begins_anew(keeps_acknowledged=False)
    assert outbox.take(1 << 16) == note("b").encoded(1)


def test_a_refusal_uses_its_sequence_or_repeats_the_entry() -> None:
    outbox = outbox_with("a", "b", "c")
    outbox.take(1 << 16)
    outbox.refused(1)
    outbox.send_again_from(2)
    assert outbox.take(1 << 16) == note("b").encoded(2) + note("c").encoded(3)
    assert len(outbox) == 2
