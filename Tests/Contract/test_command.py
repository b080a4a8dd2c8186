"""The command: the ways to stop it."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from attachments import Journal, content, sha256
from command import run
from gateway import REPOSITORY, Gateway, brief_seconds, flag
from polling import until
from rawsocket import CLOSE, RawSocket
from room import Room, note
from test_limits import LIMITS

BAD_FLAGS = [
    ["--http", "nonsense"], ["--http", "127.0.0.1:99999"], ["--https", "127.0.0.1:"], ["--max-message-bytes", "many"],
    ["--max-message-bytes", "-1"], ["--join-seconds", "0.x"], ["--reactors", "0"], ["--durability", "sometimes"],
    ["--log-format", "xml"], ["--log-level", "loud"], ["--public-url", "draw.example"], ["--trust-proxy", "x"],
    ["--allowed-origins", "not an origin"], ["--public", "/nonexistent/folder"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", BAD_FLAGS, ids=" ".join)
def test_a_bad_value_exits_with_2_and_names_setting_and_value(
    executable: str, arguments: list[str], tmp_path
) -> None:
    done = run(executable, "--data", str(tmp_path), *arguments)
    assert done.returncode == 2, done
    assert arguments[0].lstrip("-") in done.stderr and arguments[1] in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [["--unknown"], ["--max-message-byte", "5"], ["--http"], ["dance"], ["--join-seconds"]]
)
def test_unknown_flags_and_missing_values_are_refused(
    executable: str, arguments: list[str], tmp_path
) -> None:
    done = run(executable, "--data", str(tmp_path), *arguments)
    assert done.returncode == 2, done
    assert arguments[0].lstrip("-") in done.stderr


def test_flags_override_the_environment(executable: str, tmp_path) -> None:
    done = run(
        executable, "--check-config", "--data", str(tmp_path), "--join-seconds", "7",
        DRAWTOGETHER_JOIN_SECONDS="8", DRAWTOGETHER_GRACE_SECONDS="9",
    )  # fmt: skip
    assert done.returncode == 0, done
    lines = {line.split()[0].strip("-:="): line for line in done.stdout.splitlines() if line.split()}
    assert "7" in lines["join-seconds"] and "8" not in lines["join-seconds"]
    assert "9" in lines["grace-seconds"]


def test_there_is_one_reactor_per_usable_core(executable: str, tmp_path) -> None:
    arguments = ("-c", "0", executable, "--check-config", "--data", str(tmp_path))
    lines = [line.split() for line in run("taskset", *arguments).stdout.splitlines()]
    assert ["--reactors", "1", "cores"] in lines, lines


def test_bad_and_unknown_variables_are_refused_except_those_of_kubernetes(
    executable: str, tmp_path
) -> None:
    arguments = ("--check-config", "--data", str(tmp_path))
    for name, value in {"DRAWTOGETHER_JOIN_SECONDS": "soon", "DRAWTOGETHER_JION_SECONDS": "8"}.items():
        done = run(executable, *arguments, **{name: value})
        assert done.returncode == 2 and name in done.stderr, done
    kubernetes = {
        "DRAWTOGETHER_SERVICE_HOST": "10.0.0.1", "DRAWTOGETHER_SERVICE_PORT": "8080",
        "DRAWTOGETHER_PORT": "tcp://10.0.0.1:8080", "DRAWTOGETHER_PORT_8080_TCP_ADDR": "10.0.0.1",
    }  # fmt: skip
    assert run(executable, *arguments, **kubernetes).returncode == 0


def test_help_lists_each_limit_and_version_prints_one_version(executable: str) -> None:
    shown = run(executable, "--help")
    assert shown.returncode == 0
    assert not [flag(name) for name in LIMITS if flag(name) not in shown.stdout]
    version = run(executable, "--version")
    assert version.returncode == 0 and any(c.isdigit() for c in version.stdout)


def test_a_port_in_use_is_reported_in_words(executable: str, gateway: Gateway, tmp_path) -> None:
    done = run(
        executable,
        "--data",
        str(tmp_path),
        "--http",
        gateway.host,
        "--https",
        "off",
        "--public",
        str(REPOSITORY / "Public"),
    )
    assert done.returncode not in (0, 2) or str(gateway.http[1]) in done.stderr
    assert str(gateway.http[1]) in done.stderr


async def test_sigterm_drains_with_1012_and_exits_with_0_within_8_seconds(new_gateway) -> None:
    gateway: Gateway = new_gateway()
    async with Room(gateway) as room, Room(gateway, tls=True) as secure:
        people = [await room.join("Ada"), await room.join("Ben"), await secure.join("Cleo")]
        people[0].send(*[note(str(n)) for n in range(100)])
        await people[1].got(b"99")
        began = time.monotonic()
        code = asyncio.create_task(asyncio.to_thread(gateway.terminate, 8))
        for person in people:
            close, reason = await person.closed()
            assert close == 1012 and reason["retryAfterMs"] >= 0
        assert await code == 0
        assert time.monotonic() - began < 8


async def test_sigterm_with_sockets_that_do_not_answer_still_exits_within_8_seconds(new_gateway) -> None:
    gateway: Gateway = new_gateway()
    async with Room(gateway) as room, await gateway.connect() as idle:
        ada = await room.join("Ada")
        ada.may_read.clear()
        await idle.send("GET / HTT")
        assert await asyncio.to_thread(gateway.terminate, 8) == 0


async def test_a_second_sigterm_stops_at_once(new_gateway) -> None:
    gateway: Gateway = new_gateway()
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as silent:
        await silent.join()
        gateway.process.send_signal(signal.SIGTERM)
        assert (await silent.receive_until(CLOSE)).close[0] == 1012
        gateway.process.send_signal(signal.SIGTERM)
        # If it waited for the silent participant, this would take 4.5 s.
        await asyncio.to_thread(gateway.wait, 4)


def test_flags_apply_even_if_the_runtime_finds_no_arguments(executable: str, tmp_path: Path) -> None:
    library = tmp_path / "hidden_arguments.so"
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "a compiler for C"
    source = Path(__file__).with_name("hidden_arguments.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    # Without these flags it would create a data folder in the current directory.
    done = run(
        executable, "--http", "127.0.0.1:1", "--data", str(tmp_path), "--check-config",
        folder=tmp_path, LD_PRELOAD=str(library),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ["--http", "127.0.0.1:1", "flag"] in [line.split() for line in done.stdout.splitlines()]


async def test_no_listener_is_a_bad_setting(executable: str, tmp_path) -> None:
    done = await asyncio.to_thread(
        run, executable, "--http", "off", "--https", "off", "--data", str(tmp_path)
    )
    assert done.returncode == 2, done


async def test_readyz_is_503_while_draining(new_gateway) -> None:
    gateway: Gateway = new_gateway()
    async with Room(gateway) as room:
        assert (await gateway.get("/readyz")).status == 200
        async with await RawSocket.open(gateway, room.id) as silent:
            await silent.join()
            code = asyncio.create_task(asyncio.to_thread(gateway.terminate, 8))
            assert (await silent.receive_until(CLOSE)).close[0] == 1012
            (await gateway.get("/readyz")).problem(503, "unavailable")
            (await gateway.post("/api/sessions")).problem(503, "unavailable")
            assert (await gateway.get("/healthz")).status == 200
            async with await RawSocket.open(gateway, room.id) as late:
                assert (await late.close_of())[0] == 1012
            assert await code == 0


async def test_readyz_is_503_while_an_upload_delays_the_drain(new_gateway) -> None:
    """Without participants but with an upload: each reactor answers until the last one has drained."""
    gateway: Gateway = new_gateway("--reactors", "2")
    journal = await Journal.open(gateway)
    data = content(1 << 20)
    async with await journal.begin(Content_Length=str(len(data))) as connection:
        await connection.send(data[:300_000])
        await until(journal.list, "it is listed")
        stopping = asyncio.create_task(asyncio.to_thread(gateway.terminate, 8))
        await until(lambda: "draining" in gateway.log, "it stops")
        # The kernel distributes connections over the reactors.
        for _ in range(20):
            (await gateway.get("/readyz")).problem(503, "unavailable")
        (await journal.post(content(10))).problem(503, "unavailable")
        await connection.send(data[300_000:])
        answer = await connection.receive()
        assert answer.status == 201 and answer.json()["sha256"] == sha256(data)
        assert await stopping == 0
    assert '"event":"stop not clean"' not in gateway.log


async def test_during_the_drain_delay_participants_draw_while_readyz_is_503(new_gateway) -> None:
    # All participants must join and draw within the delay.
    delay = brief_seconds()
    gateway: Gateway = new_gateway("--drain-delay", f"{delay}s")
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        began = time.monotonic()
        stopping = asyncio.create_task(asyncio.to_thread(gateway.terminate, delay + 8))
        await until(lambda: "draining" in gateway.log, "it stops")
        (await gateway.get("/readyz")).problem(503, "unavailable")
        assert (await gateway.get("/healthz")).status == 200
        ada.send(note("still here"))
        await ben.got(b"still here")
        cleo = await room.join("Cleo")
        for person in (ada, ben, cleo):
            assert (await person.closed())[0] == 1012
        assert time.monotonic() - began >= delay
        assert await stopping == 0
