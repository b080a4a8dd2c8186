"""Monitoring: health, access to the metrics, their content, and the log."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest

from attachments import Journal, content
from command import run
from gateway import REPOSITORY, Gateway, OverTLS, brief_seconds
from hostile import many
from http1 import request_bytes
from logs import events, logged
from polling import until
from rawsocket import CLOSE, RawSocket
from room import Room, note
from tus import Upload

SECRET = "open-sesame"
TIMES = ("fan_out", "catch_up", "commit", "append", "tls_handshake", "loop_turn")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


# Health


async def test_health_is_small_json_that_is_not_cached(gateway: Gateway) -> None:
    for path, status in (("/healthz", "alive"), ("/readyz", "ready")):
        answer = await gateway.get(path)
        assert (answer.status, answer.json()) == (200, {"status": status})
        assert answer["content-type"] == "application/json" and answer["cache-control"] == "no-store"
        empty = await gateway.request("HEAD", path)
        assert empty.status == 200 and empty["content-length"] == answer["content-length"]


@pytest.mark.parametrize("listener", ["plain", "TLS"])
async def test_health_checks_succeed_at_the_connection_limit(
    executable: str, gateway_with, listener: str
) -> None:
    """If a liveness probe failed at the connection limit, it would restart a working gateway repeatedly."""
    gateway: Gateway = gateway_with(connections=20, headSeconds=300)
    speaker = OverTLS(gateway) if listener == "TLS" else gateway
    address = gateway.https if listener == "TLS" else gateway.http
    named = "{}:{}".format(*address)
    asked = ["--http", "off", "--https", named] if listener == "TLS" else ["--http", named]
    with many() as held:
        # Twenty counted connections, and hundreds of silent ones beyond the limit.
        held += [socket.create_connection(address) for _ in range(300)]
        for path in ("/healthz", "/readyz", "/metrics"):
            for _ in range(10):
                assert (await speaker.get(path)).status == 200
        # If it were not ready, its proxy would cut it off, although it serves connected clients.
        assert (await speaker.get("/readyz")).json() == {"status": "ready"}
        samples = await speaker.metrics()
        assert samples["drawtogether_connections_limit"] == 20
        assert samples["drawtogether_sessions_limit"] == 10_000
        (await speaker.get("/api/limits")).problem(503, "too-many")
        asking = await asyncio.to_thread(run, executable, "health", *asked)
        assert asking.returncode == 0, asking


# The metrics: who may read them


@pytest.mark.parametrize(
    "fields",
    [
        {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}, {"X-Real-IP": "127.0.0.1"},
        {"Via": "1.1 proxy"}, {"Host": "draw.example"}, {"Host": "draw.example:8080"},
    ],
)  # fmt: skip
async def test_requests_forwarded_by_a_local_proxy_cannot_read_the_metrics(
    gateway: Gateway, fields: dict[str, str]
) -> None:
    host = fields.get("Host", gateway.host)
    rest = {name: value for name, value in fields.items() if name != "Host"}
    async with await gateway.connect() as connection:
        await connection.send(request_bytes("GET", "/metrics", host, rest))
        (await connection.receive()).problem(404, "not-found")
        # Requests from this machine are still allowed, over the same connection.
        await connection.send(request_bytes("GET", "/metrics", gateway.host))
        assert (await connection.receive()).status == 200


async def test_behind_a_trusted_proxy_no_request_counts_as_local(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1")
    (await gateway.get("/metrics")).problem(404, "not-found")
    assert (await gateway.get("/healthz")).status == 200


async def test_with_a_token_set_the_metrics_need_it(gateway_with) -> None:
    gateway: Gateway = gateway_with("--metrics-token", SECRET)
    for value in ("", "Bearer", "Bearer ", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", f"Basic {SECRET}", SECRET):
        (await gateway.get("/metrics", Authorization=value)).problem(404, "not-found")
    for value in (f"Bearer {SECRET}", f"bearer {SECRET}"):
        answer = await gateway.get("/metrics", Authorization=value)
        assert answer.status == 200 and answer["cache-control"] == "no-store"
    assert SECRET not in gateway.log


# The metrics: what is in them


async def test_the_times_of_entries_and_catch_ups_are_counted(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1")
    async with Room(gateway) as room, Room(gateway, tls=True) as secure:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await secure.join("Cleo")
        for number in range(5):
            ada.send(note(str(number)))
            await ben.got(str(number).encode())
        await ada.committed()
        metrics = await gateway.metrics()
        counts = {time: metrics[f"drawtogether_{time}_seconds_count"] for time in TIMES}
        assert counts["catch_up"] == 3 and counts["tls_handshake"] == 1, counts
        # The five entries may be sent together, but in at least one flush.
        assert 1 <= counts["fan_out"] <= 5 and counts["commit"] >= 1 and counts["append"] >= 1, counts
        assert counts["loop_turn"] == metrics["drawtogether_loop_turns_total"] - 1
        for time in TIMES:
            name = f"drawtogether_{time}_seconds"
            ranges = [value for key, value in metrics.items() if key.startswith(f"{name}_bucket")]
            assert ranges == sorted(ranges) and ranges[-1] == counts[time] and len(ranges) == 18
            assert 0 < metrics[f"{name}_sum"] < 60 * counts[time]


async def test_requests_are_timed_by_kind(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "2")
    async with Room(gateway) as room:
        await room.join("Ada")
        journal = Journal(gateway, room.id)

        async def counts() -> dict[str, float]:
            # The figures that each reactor published last.
            metrics = await gateway.metrics()
            return {
                kind: metrics[f'drawtogether_request_seconds_count{{kind="{kind}"}}']
                for kind in ("api", "upload", "download", "page")
            }

        # One request created the session. Its socket and the metrics requests are not counted.
        before = {"api": 1, "upload": 0, "download": 0, "page": 0}
        assert await until(lambda: same(counts, before), "one request")
        attachment = await journal.add(content(2 << 20))
        assert (await journal.read(attachment["id"])).status == 200
        assert (await gateway.get("/")).status == 200 and (await gateway.get("/healthz")).status == 200
        assert (await gateway.get("/api/none")).status == 404
        after = {"api": 2, "upload": 1, "download": 1, "page": 1}
        assert await until(lambda: same(counts, after), "five requests")
        metrics = await gateway.metrics()
        for kind in after:
            assert 0 < metrics[f'drawtogether_request_seconds_sum{{kind="{kind}"}}'] < 60


async def same(counts, expected: dict[str, float]) -> bool:
    return await counts() == expected


async def test_the_metrics_show_the_busy_time_of_each_loop(new_gateway) -> None:
    metrics = await new_gateway("--reactors", "3").metrics()
    busy = [metrics[f'drawtogether_loop_busy_seconds_total{{reactor="{number}"}}'] for number in range(3)]
    assert sum(busy) > 0 and abs(sum(busy) - metrics["drawtogether_loop_turn_seconds_sum"]) < 1


async def test_the_metrics_show_the_gateways_status(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1")
    async with Room(gateway) as room:
        await room.join("Ada")
        journal = Journal(gateway, room.id)
        await journal.add(content(100_000))
        metrics = await gateway.metrics()
        assert metrics["drawtogether_ready"] == 1 and metrics["drawtogether_draining"] == 0
        assert metrics["drawtogether_disk_failing"] == 0
        assert metrics["drawtogether_disk_free_bytes"] > 0
        assert metrics["drawtogether_disk_reserve_bytes"] == 256 << 20
        assert metrics["drawtogether_uploaded_bytes_total"] == 100_000
        assert metrics["drawtogether_uploads_started_total"] == 1
        assert metrics['drawtogether_http_requests_total{route="sessions",status="2xx"}'] == 1
        assert metrics['drawtogether_http_requests_total{route="attachments",status="2xx"}'] == 1
        assert metrics['drawtogether_http_requests_total{route="socket",status="1xx"}'] == 1
        pid = gateway.process.pid
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        assert abs(metrics["process_open_fds"] - descriptors) <= 4

        async def counts_threads() -> bool:
            counted = await gateway.metric("process_threads")
            return counted == len(list(Path(f"/proc/{pid}/task").iterdir()))

        await until(counts_threads, "the threads are counted")
        assert metrics["process_resident_memory_bytes"] > 1 << 20 and metrics["process_cpu_seconds_total"] > 0
        assert metrics["process_max_fds"] >= metrics["process_open_fds"]


async def test_the_metrics_show_the_data_folder_after_a_sweep(lasting) -> None:
    async with Room(lasting) as room:
        await room.join("Ada")
        await Journal(lasting, room.id).add(content(50_000))
        await asyncio.to_thread(lasting.stop)
        lasting.start()

        async def counted() -> bool:
            return (await lasting.metrics()).get("drawtogether_kept_sessions") == 1

        await until(counted, "a look at the data folder")
        metrics = await lasting.metrics()
        assert metrics["drawtogether_kept_attachment_bytes"] == 50_000
        assert metrics["drawtogether_kept_log_bytes"] == (lasting.folder_of(room.id) / "log").stat().st_size


# The log


async def test_every_closed_socket_is_logged_with_the_reason(new_gateway) -> None:
    gateway: Gateway = new_gateway(joinSeconds=brief_seconds())
    async with Room(gateway) as room:
        ada, ben, cleo = [await room.join(name) for name in ("Ada", "Ben", "Cleo")]
        short = room.id[:6] + "…"
        # Content that compression cannot shorten.
        much = content(5_000)
        ada.send(note(much))
        await ben.got(much)
        number = ada.number
        await ada.say(leave={})
        line = await logged(gateway, "socket closed", participant=number, session=short)
        assert line.items() >= {"code": 1000, "reason": "left", "by": "gateway", "remote": "127.0.0.1"}.items()
        assert line["received"] > 5_000 and line["sent"] > 500 and line["ms"] >= 0
        await logged(gateway, "participant left", participant=number, reason="left")
        # Closed by the page, with a close frame.
        await ben.ws.close(1001)
        line = await logged(gateway, "socket closed", participant=ben.number)
        assert line.items() >= {"code": 1001, "by": "peer", "reason": "closed"}.items()
        # Closed by a broken connection.
        lost_number = cleo.number
        await cleo.cut()
        line = await logged(gateway, "socket closed", participant=lost_number)
        assert line.items() >= {"code": 1006, "by": "nobody", "reason": "broken"}.items() and line["end"]
        # Closed by the gateway, for each reason.
        async with await RawSocket.open(gateway, room.id) as silent:
            await silent.receive_until(CLOSE)
        line = await logged(gateway, "socket closed", code=4001)
        assert line.items() >= {"by": "gateway", "reason": "not-joined", "participant": 0}.items()
        async with await RawSocket.open(gateway, "A" * 22) as lost:
            await lost.receive_until(CLOSE)
        line = await logged(gateway, "socket closed", code=4004)
        assert line.items() >= {"by": "gateway", "reason": "not-found", "session": "AAAAAA…"}.items()
        async with await RawSocket.open(gateway, room.id) as last:
            await last.join()
            await asyncio.to_thread(gateway.terminate)
    line = await logged(gateway, "socket closed", code=1012)
    assert line.items() >= {"by": "gateway", "reason": "unavailable"}.items()
    assert [line["event"] for line in map(json.loads, gateway.log.splitlines())][-1] == "stopped"


async def test_a_resume_is_logged_with_the_number_of_missed_entries(new_gateway) -> None:
    # Ada must resume within this time.
    gateway: Gateway = new_gateway(graceSeconds=brief_seconds())
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await logged(gateway, "participant joined", participant=ada.number, session=room.id[:6] + "…")
        await ada.cut()
        ben.send(*[note(str(number)) for number in range(7)])
        await ben.got(b"6")
        await ada.join()
        line = await logged(gateway, "participant resumed", participant=ada.number)
        assert line["kind"] == "tail" and line["missed"] >= 7
        await ben.cut()
        await logged(gateway, "participant left", participant=ben.number, reason="gone")


async def test_uploads_are_logged_from_start_to_end(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1")
    data = content(300_000)
    upload = await Upload.create(await Journal.open(gateway), len(data))
    connection = await upload.begin(0, len(data))
    await connection.send(data[:100_000])
    await until(lambda: upload.has(100_000), "the first part arrives")
    connection.abort()
    line = await logged(gateway, "upload cut", mayGoOn=True, reason="gone")
    assert line["received"] == 100_000
    await upload.send(data[100_000:], 100_000)
    line = await logged(gateway, "upload resumed", offset=100_000)
    assert line["size"] == 300_000
    await logged(gateway, "upload completed", attachment=line["attachment"], bytes=300_000)
    metrics = await gateway.metrics()
    assert (
        metrics["drawtogether_uploads_resumed_total"] == 1
        and metrics['drawtogether_uploads_cut_total{reason="gone"}'] == 1
    )
    assert metrics["drawtogether_uploaded_bytes_total"] == 300_000


async def test_repeated_refusals_do_not_fill_the_log(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1")
    times = 400
    async with await gateway.connect() as connection:
        asked = request_bytes("POST", "/api/sessions", gateway.host, {"Origin": "https://evil.example"})
        for _ in range(times):
            await connection.send(asked)
            assert (await connection.receive()).status == 403
        line = await logged(gateway, "refused", what="request", code="origin-refused")
        assert line["remote"] == "127.0.0.1"

        def left_out() -> int:
            return sum(line["lines"] for line in events(gateway, "log lines omitted") if line["of"] == "refused")

        def whole() -> bool:
            return len(events(gateway, "refused")) + left_out() == times

        await until(whole, "all refusals are told of or counted")
        assert left_out() > times / 2
        metrics = await gateway.metrics()
        assert metrics['drawtogether_refused_total{code="origin-refused"}'] == times
        assert metrics["drawtogether_log_lines_left_out_total"] > times / 2


async def test_omitted_lines_are_reported_without_connections(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1")
    times = 0
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        # On a busy machine, more joins are needed, because the log takes a few lines a second.
        while times < 60 or not await gateway.metric("drawtogether_log_lines_left_out_total"):
            times += 1
            await ada.connect()
            await ada.say(join={"name": "Ada", "resume": ada.resume()["resume"] | {"next": 1_000 * times}})
            await ada.wait_for(lambda n=times: len(ada.all_controls("joined")) > n, "joined again")

    def left_out() -> int:
        lines = events(gateway, "log lines omitted")
        return sum(line["lines"] for line in lines if line["of"] == "client is ahead")

    def whole() -> bool:
        return len(events(gateway, "client is ahead")) + left_out() == times

    await until(whole, "nobody is there, and it is told all the same")
    ahead = events(gateway, "client is ahead")
    assert 20 <= len(ahead) < times and ahead[0]["from"] == 0 and ahead[0]["to"] == 999


async def test_the_log_has_no_private_data(new_gateway) -> None:
    gateway: Gateway = new_gateway("--log-level", "debug", "--metrics-token", SECRET)
    async with Room(gateway, {"identifier": "x", "title": "Secret title"}) as room:
        ada = await room.join("Adalbert")
        ada.send(note("what was drawn"))
        await ada.committed()
        await Journal(gateway, room.id).add(
            b"a picture", Content_Disposition='attachment; filename="holiday.png"', Participant_Token=ada.token
        )
        await gateway.get("/healthz?token=query")
        await gateway.get(f"/nothing-of-that-name/{room.id}?token=query")
        await gateway.get("/metrics", Authorization=f"Bearer {SECRET}")
        await ada.say(leave={})
        await logged(gateway, "socket closed", participant=ada.number)
        for secret in (
            room.id, ada.token, SECRET, "Adalbert", "what was drawn", "Secret title", "holiday", "a picture", "query",
            "nothing-of-that-name",
        ):  # fmt: skip
            assert secret and secret not in gateway.log, secret


async def test_the_log_names_who_created_and_ended_a_session_and_removed_a_file(new_gateway) -> None:
    gateway: Gateway = new_gateway("--trust-proxy", "1")
    creator, remover, ender = {"X-Forwarded-For": "198.51.100.1"}, "198.51.100.2", "198.51.100.3"
    made = (await gateway.request("POST", "/api/sessions", creator, b"")).json()["id"]
    line = await logged(gateway, "session created", session=made[:6] + "…")
    assert (line["remote"], line["follows"], line["participant"]) == ("198.51.100.1", "", 0)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        for token, number in ((ben.token, ben.number), ("", 0)):
            attachment = await journal.add(content(100 + number))
            fields = {"X-Forwarded-For": remover} | ({"Participant-Token": token} if token else {})
            gone = await gateway.request("DELETE", journal.path_of(attachment["id"]), fields)
            assert gone.status == 204
            line = await logged(gateway, "attachment removed", attachment=attachment["id"].upper())
            assert (line["participant"], line["remote"]) == (number, remover)
        body = json.dumps({"activity": {"identifier": "x"}, "follows": room.id}).encode()
        fields = {"Content-Type": "application/json", "Participant-Token": ben.token} | creator
        successor = (await gateway.request("POST", "/api/sessions", fields, body)).json()["id"]
        line = await logged(gateway, "session created", session=successor[:6] + "…")
        assert (line["follows"], line["participant"]) == (room.id[:6] + "…", ben.number)
        fields = {"X-Forwarded-For": ender, "Participant-Token": ada.token}
        assert (await gateway.request("DELETE", f"/api/sessions/{room.id}", fields)).status == 204
        line = await logged(gateway, "session ended", session=room.id[:6] + "…")
        assert (line["participant"], line["remote"]) == (ada.number, ender)
    async with Room(gateway) as room:
        cleo = await room.join("Cleo")
        await cleo.say(end={})
        line = await logged(gateway, "session ended", session=room.id[:6] + "…")
        assert (line["participant"], line["remote"]) == (cleo.number, "127.0.0.1")


@pytest.mark.parametrize(
    ("detail", "shown"),
    [
        ("full", ["198.51.100.7", "2001:db8:1:2::3", "127.0.0.1"]),
        ("masked", ["198.51.100.0", "2001:db8:1::", "127.0.0.0"]), ("off", [""]),
    ],
)  # fmt: skip
async def test_addresses_in_the_log_follow_the_setting(
    new_gateway, detail: str, shown: list[str]
) -> None:
    gateway: Gateway = new_gateway("--trust-proxy", "1", "--log-level", "debug", "--log-addresses", detail)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        for address in ("198.51.100.7", "2001:db8:1:2::3"):
            fields = {"X-Forwarded-For": address}
            assert (await gateway.request("POST", "/api/sessions", fields, b"")).status == 201
            await gateway.request("GET", "/api/none", fields)
            await gateway.request("POST", "/api/sessions", fields | {"Origin": "https://evil.example"}, b"")
            await journal.post(content(10), X_Forwarded_For=address)
        await ada.say(leave={})
        await logged(gateway, "socket closed", participant=ada.number)
    kinds = {"session created", "request refused", "refused", "upload started", "participant joined",
             "socket closed", "connection closed", "proxy names no client"}  # fmt: skip
    for kind in kinds:
        await logged(gateway, kind)
    # A line at the end may be incomplete.
    whole = [line for line in gateway.log.splitlines(keepends=True) if line.endswith("\n")]
    lines = [json.loads(line) for line in whole if '"remote"' in line]
    assert kinds <= {line["event"] for line in lines}, sorted({line["event"] for line in lines})
    assert {line["remote"] for line in lines} == set(shown)
    # No other field has them either, except the gateway's own addresses.
    rest = [line for line in gateway.log.splitlines() if '"event":"started"' not in line]
    for address in {"198.51.100.7", "2001:db8:1:2::3", "127.0.0.1"} - set(shown):
        assert not any(address in line for line in rest), address


class Told(Gateway):
    """A gateway whose log goes to a given file, in text or JSON."""

    def __init__(self, executable: str, folder: Path, log: int, *arguments: str) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
        self.folder = folder
        self.process = subprocess.Popen(
            [executable, "--http", "127.0.0.1:0", "--https", "off", "--data", str(folder / "data"),
             "--public", str(REPOSITORY / "Public"), "--reactors", "1", *arguments],
            stdout=subprocess.PIPE, stderr=log, env=environment,
        )  # fmt: skip

    async def answers(self) -> None:
        """Waits for the ready line, which contains the address."""
        assert self.process.stdout
        said = b""
        while not (found := re.search(rb"http://([0-9.]+):([0-9]+)", said)):
            line = await asyncio.to_thread(self.process.stdout.readline)
            assert line, f"it ended: {said!r}"
            said += line
        self.http = found[1].decode(), int(found[2])


async def test_text_is_logfmt_and_health_requests_are_not_logged(
    executable: str, tmp_path: Path
) -> None:
    with (tmp_path / "stderr").open("wb") as log:
        gateway = Told(executable, tmp_path, log.fileno(), "--log-format", "text")
    try:
        await gateway.answers()
        # The gateway answers before it writes the line.
        await until(lambda: "started" in gateway.log, "it has started")
        async with Room(gateway) as room:
            await room.join("Ada")
            for path in ("/healthz", "/readyz", "/metrics", "/", "/api/limits"):
                assert (await gateway.get(path)).status == 200
        # The socket's end is seen before the signal.
        await until(lambda: "socket closed" in gateway.log, "the socket is closed")
    finally:
        assert await asyncio.to_thread(gateway.terminate) == 0
    pair = re.compile(r'([a-zA-Z]+)=("(?:[^"\\]|\\.)*"|[^ "=]+)(?: |$)')
    found = []
    for text in gateway.log.splitlines():
        fields = {name: json.loads(value) if value[0] == '"' else value for name, value in pair.findall(text)}
        assert pair.sub("", text) == "", text
        assert list(fields)[:3] == ["time", "level", "event"] and TIME.fullmatch(fields["time"]), text
        found.append(fields["event"])
    assert found == [
        "started", "session created", "participant joined", "socket closed", "draining", "stopped",
    ], gateway.log  # fmt: skip


async def test_an_unread_log_delays_no_client(executable: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    gateway = Told(executable, tmp_path, writing, "--log-format", "json", "--log-level", "debug")
    os.close(writing)
    try:
        await gateway.answers()
        # One line for each, together far more than a pipe buffers.
        async with await gateway.connect() as connection:
            for _ in range(1_500):
                await connection.send(request_bytes("GET", "/api/none", gateway.host))
                assert (await connection.receive()).status == 404
        assert await asyncio.to_thread(gateway.terminate) == 0
        with open(reading, "rb", closefd=False) as pipe:
            lines = pipe.read().splitlines(keepends=True)
        # The lines that the pipe accepted before it was full are complete.
        assert len(lines) > 100
        assert all(json.loads(line)["event"] for line in lines if line.endswith(b"\n"))
    finally:
        gateway.process.kill()
        gateway.process.wait()
        os.close(reading)
