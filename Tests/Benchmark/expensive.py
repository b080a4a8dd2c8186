"""Tests/Benchmark/expensive.py GATEWAY [SECONDS]: the latency of two participants while two clients send expensive input.

All of them are served by one reactor. Each attack is made by two processes, with a second between the attacks: messages of
about 1 KB that inflate to 1 MiB of one large entry, or of repeated entries, and uploads in chunks of one byte.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import statistics
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from subject import RELIABLE_APPEND, Subject, binary_header, entry, join

MEBIBYTE = 1 << 20
GAP_SECONDS = 0.01


def compressed(message: bytes) -> bytes:
    """Returns the message in one compressed frame of a client."""
    deflater = zlib.compressobj(9, wbits=-15)
    payload = (deflater.compress(message) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]
    header = bytearray(binary_header(len(payload)))
    header[0] |= 0x40
    return bytes(header) + payload


def drawer(port: int, session: str) -> socket.socket:
    """Returns a socket of a participant with compression."""
    opened, _ = join(port, session, "Attacker", "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n")
    return opened


def large_entries(port: int, session: str, _: int) -> None:
    body = b"".join(entry(RELIABLE_APPEND, n, bytes(16), b"Note", bytes(262_000)) for n in range(1, 5))
    pour(drawer(port, session), compressed(body[:MEBIBYTE]))


def small_entries(port: int, session: str, _: int) -> None:
    one = entry(RELIABLE_APPEND, 1, bytes(16), b"Note", b"")
    pour(drawer(port, session), compressed(one * (MEBIBYTE // len(one))))


def chunks_of_a_byte(port: int, session: str, number: int) -> None:
    data = b"1\r\nx\r\n" * 40_000
    while True:
        opened = socket.create_connection(("127.0.0.1", port))
        opened.sendall(
            f"POST /api/sessions/{session}/attachments HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: image/png\r\n"
            f'Content-Disposition: attachment; filename="{number}.png"\r\nTransfer-Encoding: chunked\r\n\r\n'.encode()
        )
        pour(opened, data)


def both(port: int, session: str, number: int) -> None:
    (small_entries if number == 0 else chunks_of_a_byte)(port, session, number)


def nothing(port: int, session: str, number: int) -> None:
    signal.pause()


def pour(opened: socket.socket, data: bytes) -> None:
    """Sends the data repeatedly and drops responses, until the gateway closes."""
    os.nice(10)  # the attackers' CPU time is not measured
    opened.settimeout(0)
    while True:
        try:
            sent = 0
            while sent < len(data):
                try:
                    sent += opened.send(data[sent:])
                except BlockingIOError:
                    time.sleep(0.0005)
                try:
                    opened.recv(1 << 18)
                except BlockingIOError:
                    pass
        except OSError:
            return


def delays(port: int, session: str, seconds: float) -> list[float]:
    """Returns the latency of each entry from one participant to the other, in milliseconds."""
    (one, _), (other, rest) = join(port, session, "One"), join(port, session, "Other")
    other.settimeout(30)
    found = []
    number = 0
    received = b""
    # The attackers need a second to start.
    start = time.perf_counter() + 1
    while time.perf_counter() < start + seconds:
        number += 1
        mark = b"mark" + struct.pack(">I", number)
        body = entry(RELIABLE_APPEND, number, bytes(16), b"Note", mark)
        begun = time.perf_counter()
        one.sendall(binary_header(len(body)) + body)
        while mark not in received:
            received = received[-64:] + other.recv(65_536)
        if begun >= start:
            found.append((time.perf_counter() - begun) * 1000)
        time.sleep(GAP_SECONDS)
    one.close()
    other.close()
    return found


def run(binary: Path, attack: Callable[[int, str, int], None], seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gateway = Subject(binary, Path(folder), "--reactors", "1", "--max-attachment-bytes", "10G",
                          "--max-session-attachment-bytes", "1T", "--max-attachments-per-session", "100000")  # fmt: skip
        session, other = gateway.create_session(), gateway.create_session()
        attackers = [multiprocessing.Process(target=attack, args=(gateway.port, other, n), daemon=True) for n in range(2)]
        for attacker in attackers:
            attacker.start()
        found = sorted(delays(gateway.port, session, seconds))
        for attacker in attackers:
            attacker.kill()
            attacker.join()
        print(f"| {attack.__name__.replace('_', ' ')} | {statistics.median(found):.2f} | {found[len(found) * 99 // 100]:.1f} | {found[-1]:.1f} "
              f"| {len(found)} |", flush=True)  # fmt: skip
        gateway.end()


if __name__ == "__main__":
    print("| two clients send | p50 ms | p99 ms | max ms | entries |\n| --- | --- | --- | --- | --- |", flush=True)
    for attack in (nothing, large_entries, small_entries, chunks_of_a_byte, both):
        run(Path(sys.argv[1]), attack, float(sys.argv[2]) if len(sys.argv) > 2 else 5)
