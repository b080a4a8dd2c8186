"""Section 4 and tus 1.0.0: the response to each request, valid or invalid."""

from __future__ import annotations

import pytest

from attachments import Journal, content, sha256
from tus import EXTENSIONS, PIECE, Upload, upload_metadata

LIMIT = 104_857_600
DATA = content(1_000)


async def test_options_lists_versions_extensions_and_limits(journal: Journal) -> None:
    for fields in ({}, {"Tus-Resumable": "1.0.0"}, {"Tus-Resumable": "0.2.2"}):
        response = await journal.gateway.request("OPTIONS", journal.path, fields)
        assert response.status in (200, 204)
        assert "1.0.0" in response["tus-version"].split(",")
        assert int(response["tus-max-size"]) == LIMIT
        assert {name.strip() for name in response["tus-extension"].split(",")} >= EXTENSIONS
        assert {name.strip() for name in response["tus-checksum-algorithm"].split(",")} >= {"sha1", "sha256"}
        assert {"POST", "GET"} <= {name.strip() for name in response["allow"].split(",")}


async def test_tus_max_size_is_the_limit_in_force(gateway_with) -> None:
    journal = await Journal.open(gateway_with(attachmentBytes=2 * 1_048_576 + 13))
    response = await journal.gateway.request("OPTIONS", journal.path)
    assert int(response["tus-max-size"]) == 2 * 1_048_576 + 13


async def test_creation_then_pieces_then_ready(journal: Journal) -> None:
    metadata = upload_metadata(filename="a.png", filetype="image/png", metadata={"location": [1, 2]})
    upload = await Upload.create(journal, 1_000, Upload_Metadata=metadata)
    (listed,) = await journal.list()
    assert (listed["id"], listed["state"], listed["offset"], listed["size"]) == (
        upload.id,
        "uploading",
        0,
        1_000,
    )
    assert (listed["name"], listed["contentType"], listed["metadata"]) == (
        "a.png",
        "image/png",
        {"location": [1, 2]},
    )
    for offset in range(0, 1_000, 250):
        head = await upload.head()
        assert (head["upload-offset"], head["upload-length"]) == (str(offset), "1000")
        assert head["cache-control"] == "no-store" and head.get("upload-defer-length") is None
        assert head["upload-metadata"] == metadata
        await upload.send(DATA[offset : offset + 250], offset)
        found = await journal.find(upload.id)
        assert found is not None and found["offset"] == offset + 250
    (ready,) = await journal.list()
    assert (ready["state"], ready["sha256"], ready["size"]) == ("ready", sha256(DATA), 1_000)
    assert ready | {"state": "", "offset": 0, "sha256": ""} == listed | {
        "state": "",
        "offset": 0,
        "sha256": "",
    }
    response = await journal.read(upload.id)
    assert response.body == DATA and response["content-type"] == "image/png"
    assert await upload.offset() == 1_000, "a lost last answer is made good by HEAD"


@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
@pytest.mark.parametrize("length", [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_048_583])
async def test_uploads_of_every_length_in_one_piece(journal: Journal, length: int, is_chunked: bool) -> None:
    data = content(length)
    upload = await Upload.create(journal, length)
    if length:
        await upload.send(data, is_chunked=is_chunked)
    (ready,) = await journal.list()
    assert (ready["state"], ready["sha256"]) == ("ready", sha256(data))
    assert sha256((await journal.read(upload.id)).body) == sha256(data)
    assert {file.parent.name for file in journal.files()} == {"attachments"}


async def test_creation_with_upload_of_all_or_some_bytes(journal: Journal) -> None:
    for part in (1_000, 400, 0):
        response = await Upload.creation(journal, 1_000, DATA[:part])
        assert response.status == 201 and response["upload-offset"] == str(part)
        upload = Upload(journal.gateway, response["location"])
        if part < 1_000:
            assert await upload.offset() == part
            await upload.send(DATA[part:], part)
        assert (await journal.read(upload.id)).body == DATA


async def test_creation_with_upload_in_chunks_and_in_single_bytes(journal: Journal) -> None:
    known = {"Tus_Resumable": "1.0.0", "Upload_Length": "1000", "Content_Type": PIECE}
    for fields in ({"Content_Length": "600"}, {"Transfer_Encoding": "chunked"}):
        async with await journal.begin(**(known | fields)) as connection:
            for first in range(0, 600, 5):
                piece = DATA[first : first + 5]
                await connection.send(piece if "Content_Length" in fields else b"5\r\n" + piece + b"\r\n")
            if "Transfer_Encoding" in fields:
                await connection.send(b"0\r\n\r\n")
            response = await connection.receive()
            assert (response.status, response["upload-offset"]) == (201, "600")
        upload = Upload(journal.gateway, response["location"])
        await upload.send(DATA[600:], 600)
        assert (await journal.read(upload.id)).body == DATA


async def test_an_empty_upload_is_ready_at_once(journal: Journal) -> None:
    upload = await Upload.create(journal, 0)
    (ready,) = await journal.list()
    assert (ready["id"], ready["state"], ready["sha256"]) == (upload.id, "ready", sha256(b""))
    assert (await journal.read(upload.id)).body == b""


async def test_a_deferred_length_is_set_later(journal: Journal) -> None:
    upload = await Upload.create(journal)
    head = await upload.head()
    assert (head["upload-offset"], head["upload-defer-length"]) == ("0", "1")
    assert head.get("upload-length") is None
    (listed,) = await journal.list()
    assert listed["size"] is None
    await upload.send(DATA[:500])
    assert (await upload.head())["upload-defer-length"] == "1"
    await upload.send(DATA[500:800], 500, Upload_Length="1000")
    head = await upload.head()
    assert head["upload-length"] == "1000" and head.get("upload-defer-length") is None
    found = await journal.find(upload.id)
    assert found is not None and found["size"] == 1_000
    (await upload.patch(DATA[800:], 800, Upload_Length="1001")).problem(400, "bad-request")
    await upload.send(DATA[800:], 800)
    assert (await journal.read(upload.id)).body == DATA


async def test_a_deferred_length_is_set_with_the_last_piece_or_after_it(journal: Journal) -> None:
    one, two = await Upload.create(journal), await Upload.create(journal)
    await one.send(DATA, Upload_Length="1000")
    await two.send(DATA)
    (await journal.read(two.id)).problem(409, "not-ready")
    await two.send(b"", 1_000, Upload_Length="1000")
    for upload in (one, two):
        assert (await journal.read(upload.id)).body == DATA


async def test_a_deferred_length_may_be_zero(journal: Journal) -> None:
    upload = await Upload.create(journal)
    await upload.send(b"", Upload_Length="0")
    assert (await journal.read(upload.id)).body == b""


async def test_a_refusal_replaces_100_continue(journal: Journal) -> None:
    upload = await Upload.create(journal, 1_000)
    for offset, fields, status in (
        (7, {}, 409), (0, {"Content_Type": "text/plain"}, 415), (0, {"Tus_Resumable": "0.2.2"}, 412),
        (0, {"Upload_Checksum": "md5 AAAA"}, 400), (0, {"Content_Length": "1001"}, 400),
        (0, {"Origin": "http://evil.example"}, 403),
    ):  # fmt: skip
        async with await upload.begin(offset, 1_000, **({"Expect": "100-continue"} | fields)) as connection:
            (await connection.receive_informational()).problem(status)
    async with await upload.begin(0, 1_000, Expect="100-continue") as connection:
        assert (await connection.receive_informational()).status == 100
        await connection.send(DATA)
        assert (await connection.receive()).status == 204


async def test_a_length_below_what_has_arrived_is_refused(journal: Journal) -> None:
    upload = await Upload.create(journal)
    await upload.send(DATA[:500])
    (await upload.patch(b"", 500, Upload_Length="499")).problem(400)
    assert await upload.offset() == 500


@pytest.mark.parametrize(
    ("length", "defer"),
    [(None, None), ("10", "1"), (None, "2"), (None, "0"), (None, "true"), ("-1", None), ("+1", None), ("1.0", None),
     ("0x10", None), ("", None), ("ten", None), ("1 0", None), ("18446744073709551617", None)],
)  # fmt: skip
async def test_a_creation_without_a_valid_length_is_refused(
    journal: Journal, length: str | None, defer: str | None
) -> None:
    refused = await Upload.creation(journal, 0, Upload_Length=length, Upload_Defer_Length=defer)
    refused.problem(413 if length == "18446744073709551617" and refused.status == 413 else 400)
    assert await journal.is_empty()


async def test_a_length_over_the_limit_is_413(journal: Journal) -> None:
    for length in (LIMIT + 1, 1 << 40, (1 << 63) - 1):
        refused = (await Upload.creation(journal, length)).problem(413, "attachment-too-large")
        assert refused["limit"] == LIMIT and refused["actual"] > LIMIT
    upload = await Upload.create(journal)
    refused = (await upload.patch(b"x", 0, Upload_Length=str(LIMIT + 1))).problem(413, "attachment-too-large")
    assert refused["limit"] == LIMIT
    assert (await Upload.create(journal, LIMIT)).id != upload.id


async def test_a_deferred_length_that_grows_over_the_limit_is_413(gateway_with) -> None:
    limit = 2 * 1_048_576 + 13
    journal = await Journal.open(gateway_with(attachmentBytes=limit))
    upload = await Upload.create(journal)
    await upload.send(content(limit))
    refused = (await upload.patch(b"x", limit)).problem(413, "attachment-too-large")
    assert refused["limit"] == limit and refused["actual"] > limit
    other = await Upload.create(journal)
    for is_chunked in (False, True):
        offset = await other.offset()
        refused = await other.patch(content(limit + 1), offset, is_chunked=is_chunked)
        assert refused.problem(413, "attachment-too-large")["limit"] == limit
    assert await other.offset() <= limit
    assert {listed["state"] for listed in await journal.list()} == {"uploading"}


@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
async def test_a_piece_beyond_the_length_is_refused(journal: Journal, is_chunked: bool) -> None:
    upload = await Upload.create(journal, 1_000)
    await upload.send(DATA[:500])
    refused = await upload.patch(DATA[500:] + b"!", 500, is_chunked=is_chunked)
    assert refused.status in (400, 413), refused.status
    refused.problem(refused.status)
    offset = await upload.offset()
    assert 500 <= offset <= 1_000
    if offset < 1_000:
        await upload.send(DATA[offset:], offset)
    assert (await journal.read(upload.id)).body == DATA
    after = await upload.patch(b"!", 1_000)
    assert 400 <= after.status < 500
    assert (await journal.read(upload.id)).body == DATA


@pytest.mark.parametrize("offset", [0, 499, 501, 1_000, 1_001, 1 << 62])
async def test_a_wrong_offset_is_409_with_the_right_one(journal: Journal, offset: int) -> None:
    upload = await Upload.create(journal, 1_000)
    await upload.send(DATA[:500])
    refused = await upload.patch(b"x" * 10, offset)
    assert refused.problem(409, "offset-mismatch")["offset"] == 500
    assert await upload.offset() == 500
    await upload.send(DATA[500:], 500)
    assert (await journal.read(upload.id)).body == DATA


@pytest.mark.parametrize(
    "offset", [None, "", "-1", "+0", "0x0", "zero", "0 0", "0.0", "18446744073709551616"]
)
async def test_a_piece_without_a_valid_offset_is_refused(journal: Journal, offset: str | None) -> None:
    upload = await Upload.create(journal, 1_000)
    refused = await upload.patch(DATA, None, Upload_Offset=offset)
    assert refused.status in ((400, 409) if offset == "18446744073709551616" else (400,)), refused
    refused.problem(refused.status)
    assert await upload.offset() == 0


@pytest.mark.parametrize(
    "type_",
    [
        None,
        "",
        "application/octet-stream",
        "text/plain",
        "application/offset+octet-streamx",
        "application/json",
    ],
)
async def test_a_piece_of_another_type_is_415(journal: Journal, type_: str | None) -> None:
    upload = await Upload.create(journal, 1_000)
    (await upload.patch(DATA, 0, Content_Type=type_)).problem(415)
    assert await upload.offset() == 0


@pytest.mark.parametrize("version", ["0.2.2", "1.0.1", "2.0.0", "", "1", "1.0.0, 1.0.0", "nonsense"])
async def test_another_version_is_412_with_the_supported_one(journal: Journal, version: str) -> None:
    upload = await Upload.create(journal, 1_000)
    answers = [
        await Upload.creation(journal, 5, Tus_Resumable=version),
        await upload.patch(DATA, 0, Tus_Resumable=version),
        await upload.ask("DELETE", Tus_Resumable=version),
        await upload.head(Tus_Resumable=version),
    ]
    for answer in answers:
        assert answer.status == 412
        assert answer["tus-version"] == "1.0.0"
    for answer in answers[:3]:
        answer.problem(412)
    assert await upload.offset() == 0 and len(await journal.list()) == 1


async def test_a_piece_without_the_version_is_refused(journal: Journal) -> None:
    upload = await Upload.create(journal, 1_000)
    refused = await upload.patch(DATA, 0, Tus_Resumable=None)
    assert refused.status in (400, 405, 412)
    refused.problem(refused.status)
    assert await upload.offset() == 0


async def test_every_response_names_the_version(journal: Journal) -> None:
    upload = await Upload.create(journal, 1_000)
    gone = Upload(journal.gateway, journal.path_of("0B5F8A52-98C0-4C5F-8A6E-1F2A3B4C5D6E"))
    for answer in (
        await upload.head(), await upload.patch(b"x", 7), await upload.patch(b"x", 0, Content_Type="x/y"),
        await upload.patch(DATA, 0), await upload.terminate(), await upload.head(), await gone.patch(b"x", 0),
        await Upload.creation(journal, LIMIT + 1),
    ):  # fmt: skip
        assert answer["tus-resumable"] == "1.0.0", answer


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "x-http-method-override"])
async def test_the_method_may_be_overridden(journal: Journal, name: str) -> None:
    upload = await Upload.create(journal, 1_000)
    argument = name.replace("-", "_")
    fields = {argument: "PATCH", "Content_Type": PIECE, "Upload_Offset": "0"}
    patched = await upload.ask("POST", DATA[:500], **fields)
    assert (patched.status, patched["upload-offset"]) == (204, "500")
    assert await upload.offset() == 500
    terminated = await upload.ask("POST", b"", **{argument: "DELETE"})
    assert terminated.status == 204
    assert (await upload.head()).status == 404


async def test_repeated_significant_fields_are_refused(journal: Journal) -> None:
    upload = await Upload.create(journal, 1_000)
    async with await journal.gateway.connect() as connection:
        await connection.send(
            f"PATCH {upload.path} HTTP/1.1\r\nHost: {journal.gateway.host}\r\nTus-Resumable: 1.0.0\r\n"
            f"Content-Type: {PIECE}\r\nUpload-Offset: 0\r\nUpload-Offset: 5\r\nContent-Length: 5\r\n\r\n12345"
        )
        (await connection.receive()).problem(400)
    assert await upload.offset() == 0
