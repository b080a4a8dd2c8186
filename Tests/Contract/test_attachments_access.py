"""Sections 1 and 4: permission to add, read and remove attachments."""

from __future__ import annotations

import pytest

from attachments import Journal, content
from gateway import Gateway
from http1 import Response
from room import Room
from tus import PIECE, Upload

UNKNOWN_SESSION = "AAAAAAAAAAAAAAAAAAAAAA"
FOREIGN = ["http://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1:{port}.evil.example", ""]
ALLOWED = "https://a.example"
ASKED_FIELDS = [
    "content-type", "content-disposition", "participant-token", "attachment-id", "attachment-metadata",
    "repr-digest", "tus-resumable", "upload-length", "upload-offset", "upload-metadata", "upload-defer-length",
    "upload-checksum", "x-http-method-override", "range", "if-range", "if-none-match",
]  # fmt: skip
EXPOSED_FIELDS = [
    "location", "tus-resumable", "tus-version", "tus-extension", "tus-max-size", "tus-checksum-algorithm",
    "upload-offset", "upload-length", "upload-defer-length", "upload-metadata", "upload-expires", "etag",
    "content-range", "content-disposition", "retry-after",
]  # fmt: skip


async def every_change(
    journal: Journal, ready: str, upload: Upload, fields: dict[str, str]
) -> dict[str, Response]:
    """Sends every request that would change the journal, with these fields."""
    return {
        "POST": await journal.post(b"x", **fields),
        "POST of much": await journal.post(content(300_000), **fields),
        "POST in chunks": await journal.post(content(1_000), True, **fields),
        "tus creation": await Upload.creation(journal, 10, **fields),
        "tus creation with upload": await Upload.creation(journal, 1, b"x", **fields),
        "PATCH": await upload.patch(b"12345", 0, **fields),
        "PATCH by override": await upload.ask(
            "POST", b"12345", X_HTTP_Method_Override="PATCH", Content_Type=PIECE, Upload_Offset="0", **fields
        ),
        "DELETE": await journal.remove(ready, **fields),
        "tus termination": await upload.ask("DELETE", **fields),
        "DELETE by override": await upload.ask("POST", b"", X_HTTP_Method_Override="DELETE", **fields),
    }


@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_foreign_origin_is_refused_without_an_effect(journal: Journal, origin: str) -> None:
    ready, upload = await journal.add(content(10)), await Upload.create(journal, 10)
    before = await journal.list()
    fields = {"Origin": origin.format(port=journal.gateway.http[1])}
    for name, response in (await every_change(journal, ready["id"], upload, fields)).items():
        response.problem(403, "origin-refused")
        assert not response.all("access-control-allow-origin"), name
    assert await journal.list() == before


async def test_a_foreign_origin_is_refused_before_100_continue(journal: Journal) -> None:
    fields = {"Origin": "http://evil.example", "Expect": "100-continue", "Content_Length": "5"}
    async with await journal.begin(**fields) as connection:
        (await connection.receive_informational()).problem(403, "origin-refused")
    assert await journal.is_empty()


async def test_the_own_origin_and_no_origin_are_accepted(journal: Journal) -> None:
    for fields in (
        {},
        {"Origin": f"http://{journal.gateway.host}"},
        {"Origin": f"https://{journal.gateway.host}"},
    ):
        ready, upload = await journal.add(content(10), **fields), await Upload.create(journal, 5, **fields)
        await upload.send(b"12345", **fields)
        assert (await journal.remove(ready["id"], **fields)).status == 204
        assert (await upload.ask("DELETE", **fields)).status == 204
    assert await journal.is_empty()


@pytest.mark.parametrize(
    ("session", "status"),
    [(UNKNOWN_SESSION, 404), ("short", 404), ("A" * 23, 404), ("..", 404), ("A" * 21 + "!", 404)],
)
async def test_an_unknown_session_is_404(journal: Journal, session: str, status: int) -> None:
    ready, upload = await journal.add(content(10)), await Upload.create(journal, 10)
    other = Journal(journal.gateway, session)
    wrong = Upload(journal.gateway, other.path_of(upload.id))
    for name, response in (await every_change(other, ready["id"], wrong, {})).items():
        assert response.status == status, name
        response.problem(status, "not-found")
    (await other.read(ready["id"])).problem(status, "not-found")
    (await journal.gateway.get(other.path)).problem(status, "not-found")
    assert (await wrong.head()).status == status
    assert len(await journal.list()) == 2


async def test_another_sessions_attachment_is_404(journal: Journal) -> None:
    ready, upload = await journal.add(content(10)), await Upload.create(journal, 10)
    other = await Journal.open(journal.gateway)
    wrong = Upload(journal.gateway, other.path_of(upload.id))
    (await other.read(ready["id"])).problem(404, "not-found")
    (await other.remove(ready["id"])).problem(404, "not-found")
    assert (await other.head(ready["id"])).status == 404
    (await wrong.patch(b"12345", 0)).problem(404, "not-found")
    (await wrong.terminate()).problem(404, "not-found")
    assert (await wrong.head()).status == 404
    assert await other.list() == []
    assert await upload.offset() == 0 and len(await journal.list()) == 2


async def test_the_same_content_in_two_sessions_is_two_attachments(journal: Journal) -> None:
    other = await Journal.open(journal.gateway)
    mine, theirs = await journal.add(content(100)), await other.add(content(100))
    assert mine["id"] != theirs["id"]
    await journal.remove(mine["id"])
    assert (await other.read(theirs["id"])).body == content(100)


async def test_a_forged_token_is_refused_and_no_token_is_accepted(journal: Journal) -> None:
    gateway = journal.gateway
    async with Room(gateway) as room, Room(gateway) as elsewhere:
        ada, stranger = await room.join("Ada"), await elsewhere.join("Stranger")
        journal = Journal(gateway, room.id)
        assert (await journal.add(b"1", Participant_Token=ada.token))["participant"] == ada.number
        assert (await journal.add(b"2"))["participant"] is None
        forged = ["nonsense", "A" * len(ada.token or ""), (ada.token or "")[:-1], stranger.token or ""]
        for token in forged:
            (await journal.post(b"3", Participant_Token=token)).problem(403, "token-needed")
            (await journal.post(b"3", True, Participant_Token=token)).problem(403, "token-needed")
            creation = await Upload.creation(journal, 5, Participant_Token=token)
            creation.problem(403, "token-needed")
        async with await journal.begin(
            Participant_Token="nonsense", Expect="100-continue", Content_Length="5"
        ) as connection:
            (await connection.receive_informational()).problem(403, "token-needed")
        assert len(await journal.list()) == 2
        await ada.cut()
        assert (await journal.add(b"4", Participant_Token=ada.token))["participant"] == ada.number


async def test_allowed_origins_may_send_every_request_and_read_every_field(gateway_with) -> None:
    gateway: Gateway = gateway_with("--allowed-origins", ALLOWED)
    journal = await Journal.open(gateway)
    fields = {"Origin": ALLOWED}
    posted = await journal.post(content(10), **fields)
    ready = journal.added(posted, content(10))
    creation = await Upload.creation(journal, 10, **fields)
    upload = Upload(gateway, creation["location"])
    answers = [
        posted, creation, await upload.ask("PATCH", b"12345", Content_Type=PIECE, Upload_Offset="0", **fields),
        await upload.head(**fields), await upload.patch(b"12345", 9, **fields),
        await journal.read(ready["id"], **fields), await journal.head(ready["id"], **fields),
        await journal.read(upload.id, **fields), await journal.remove(ready["id"], **fields),
        await gateway.get(journal.path, **fields), await journal.read("none", **fields),
    ]  # fmt: skip
    assert [answer.status for answer in answers] == [201, 201, 204, 200, 409, 200, 200, 409, 204, 200, 404]
    for answer in answers:
        assert answer["access-control-allow-origin"] == ALLOWED
        assert "origin" in (answer.get("vary") or "").lower()
        exposed = [name.strip() for name in answer["access-control-expose-headers"].lower().split(",")]
        assert not set(EXPOSED_FIELDS) - set(exposed), answer.status
    stranger = await journal.read(upload.id, Origin="https://b.example")
    assert not stranger.all("access-control-allow-origin")


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "HEAD", "GET"])
async def test_a_preflight_allows_what_uploads_need(gateway_with, method: str) -> None:
    gateway: Gateway = gateway_with("--allowed-origins", ALLOWED)
    journal = await Journal.open(gateway)
    attachment = await journal.add(b"x")
    asked = {
        "Origin": ALLOWED, "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": ",".join(ASKED_FIELDS),
    }  # fmt: skip
    for target in (journal.path, journal.path_of(attachment["id"])):
        if method in ("PATCH", "DELETE") and target == journal.path:
            continue
        preflight = await gateway.request("OPTIONS", target, asked)
        assert preflight.status in (200, 204)
        assert preflight["access-control-allow-origin"] == ALLOWED
        if method not in ("GET", "HEAD", "POST"):
            assert method in [m.strip() for m in preflight["access-control-allow-methods"].split(",")]
        allowed = [name.strip() for name in preflight["access-control-allow-headers"].lower().split(",")]
        assert not set(ASKED_FIELDS) - set(allowed)
    foreign = await gateway.request("OPTIONS", journal.path, asked | {"Origin": "https://b.example"})
    assert not foreign.all("access-control-allow-origin")


async def test_downloads_need_no_origin_and_foreign_origins_get_no_cors_fields(journal: Journal) -> None:
    attachment = await journal.add(content(10))
    response = await journal.read(attachment["id"], Origin="http://evil.example")
    assert not response.all("access-control-allow-origin")
    assert response["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "tail",
    ["..%2f", "..", "../attachments", "%2e%2e%2f%2e%2e", "..%5c", "%00", "{id}%00", "{id}/", "{id}/x", "/{id}", "{id}%2f",
     "{id}.png", "{{{id}}}", "{bare}", "{id}0", "not-a-uuid", "0", "urn:uuid:{id}", "%20{id}", "{id}%0d%0a", "{short}",
     "..;/{id}", "{id}/..", "..%2fuploads%2f{id}", "{sha}"],
)  # fmt: skip
async def test_a_path_without_a_valid_uuid_is_404_or_400(journal: Journal, tail: str) -> None:
    attachment = await journal.add(b"SECRET")
    id_ = attachment["id"]
    spelled = tail.format(id=id_, bare=id_.replace("-", ""), short=id_[:-1], sha=attachment["sha256"])
    for method in ("GET", "HEAD", "DELETE", "PATCH"):
        tus = (
            {"Tus-Resumable": "1.0.0", "Content-Type": PIECE, "Upload-Offset": "0"}
            if method == "PATCH"
            else {}
        )
        response = await journal.gateway.request(method, f"{journal.path}/{spelled}", tus, b"")
        leads_to_the_list = spelled in ("..", "../attachments", "..%2f", "%2e%2e%2f%2e%2e", f"{id_}/..")
        assert response.status in (400, 404, 405) or (leads_to_the_list and method in ("GET", "HEAD")), method
        assert b"SECRET" not in response.body
    assert await journal.list() == [attachment]


@pytest.mark.parametrize("target", ["//api/sessions/{s}/attachments/{a}", "/api/sessions/{s}//attachments/{a}",
                                    "/api//sessions/{s}/attachments/{a}", "/API/sessions/{s}/attachments/{a}",
                                    "/api/sessions/{s}/Attachments/{a}"])  # fmt: skip
async def test_double_slashes_and_other_letter_cases_are_not_found(journal: Journal, target: str) -> None:
    attachment = await journal.add(b"SECRET")
    spelled = target.format(s=journal.session, a=attachment["id"])
    for method in ("GET", "DELETE"):
        response = await journal.gateway.request(method, spelled, {}, b"")
        assert response.status in (400, 404), method
        assert b"SECRET" not in response.body
    assert await journal.list() == [attachment]


@pytest.mark.parametrize(
    ("method", "allowed"), [("PUT", {"GET", "HEAD", "DELETE", "PATCH"}), ("POST", {"GET"})]
)
async def test_an_unsupported_method_is_405_with_allow(
    journal: Journal, method: str, allowed: set[str]
) -> None:
    attachment = await journal.add(b"x")
    response = await journal.gateway.request(method, journal.path_of(attachment["id"]), {}, b"x")
    response.problem(405)
    assert allowed <= {name.strip() for name in response["allow"].split(",")}
    for method_ in ("PUT", "PATCH", "DELETE"):
        response = await journal.gateway.request(method_, journal.path, {}, b"x")
        response.problem(405)
        assert {"GET", "POST"} <= {name.strip() for name in response["allow"].split(",")}
    assert await journal.list() == [attachment]
