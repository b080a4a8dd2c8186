"""Section 4: uploaded content never runs in the gateway's origin, and names are only displayed."""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import quote, unquote

import pytest

from attachments import SECURITY, Journal, base64_of, content
from http1 import Response
from tus import Upload, upload_metadata

EVIL = b"<!doctype html><script>fetch('/api/sessions')</script>"
OWN_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]
OTHER_TYPES = [
    "text/html", "text/html; charset=utf-8", "image/svg+xml", "text/javascript", "application/javascript",
    "application/xhtml+xml", "text/xml", "application/xml", "text/css", "application/pdf", "text/plain",
    "application/octet-stream", "multipart/x-mixed-replace", "message/rfc822", "application/wasm",
    "application/x-shockwave-flash", "image/x-png", "image/bmp", "video/mp4", "text/cache-manifest",
    "application/manifest+json", "TEXT/HTML",
]  # fmt: skip
NO_TYPES = [
    "image/png, text/html", "text/html, image/png", "image/png/x", "image", "/", "image/", "/png", "image png",
    "image/png text/html", "text/html;image/png", "\x7ftext/html", "text/html\xe9",
]  # fmt: skip
EURO = "%e2%82%ac%20rates.pdf"
NAMES = [
    ('attachment; filename="photo.png"', "photo.png"),
    ("attachment; filename=photo.png", "photo.png"),
    ('attachment;filename="photo.png"', "photo.png"),
    ('ATTACHMENT; FileName="photo.png"', "photo.png"),
    (f"attachment; filename*=UTF-8''{EURO}", "€ rates.pdf"),
    (f"attachment; filename*=utf-8'en'{EURO}", "€ rates.pdf"),
    (f"attachment; filename=\"euro.pdf\"; filename*=UTF-8''{EURO}", "€ rates.pdf"),
    (f"attachment; filename*=UTF-8''{EURO}; filename=\"euro.pdf\"", "€ rates.pdf"),
    (r'attachment; filename="say \"hi\".txt"', 'say "hi".txt'),
    ('attachment; filename="a; b=c.txt"', "a; b=c.txt"),
    ('attachment; filename="%41.txt"', "%41.txt"),
    ('attachment; filename="it\'s, 100%.txt"', "it's, 100%.txt"),
    ("attachment; filename*=UTF-8''" + quote("写真🙂👩‍👩‍👧.png", safe=""), "写真🙂👩‍👩‍👧.png"),
    ("attachment; filename*=UTF-8''" + quote("e\u0301té.txt", safe=""), "e\u0301té.txt"),
    ("attachment", "attachment"),
    ('attachment; filename=""', "attachment"),
    (None, "attachment"),
]  # fmt: skip
HOSTILE_NAMES = [
    "../../x", "../../../../etc/passwd", "/etc/passwd", "..\\..\\x", "C:\\x", ".", "..", ".hidden", "a/b/c",
    'x"; filename="evil.html', "x\\", 'x\\"', "x\r\nX-Evil: 1", "x\nSet-Cookie: a=b", "x\0.html", "\x1b[31mred",
    "x\x7f", "\x85next", "\u2028line", "invoice\u202egnp.exe", "\u2066isolated\u2069", "\ufeffmark", "   ", "\t",
    "a" * 10_240, "é" * 5_000, "🙂" * 2_500, "a" * 255, "🙂" * 255, "%2e%2e%2f", "%0d%0aX-Evil: 1", "CON", "x;y=z",
    "*", "''", "UTF-8''x", "\ud83d".encode("utf-16-le", "surrogatepass").decode("latin-1"), "<script>", "&amp;",
]  # fmt: skip


@pytest.mark.parametrize("type_", OWN_TYPES)
async def test_pictures_are_served_with_their_type(journal: Journal, type_: str) -> None:
    attachment = await journal.add(EVIL, Content_Type=type_)
    assert attachment["contentType"] == type_
    response = await journal.read(attachment["id"])
    assert response["content-type"] == type_
    assert {name: response[name] for name in SECURITY} == SECURITY


@pytest.mark.parametrize("way", ["at once", "tus"])
@pytest.mark.parametrize("type_", OTHER_TYPES + NO_TYPES)
async def test_other_types_are_served_as_downloads(journal: Journal, type_: str, way: str) -> None:
    if way == "at once":
        posted = await journal.post(EVIL, Content_Type=type_)
        if posted.status == 400 and type_ in NO_TYPES:
            assert await journal.list() == []
            return
        attachment = journal.added(posted, EVIL)
    else:
        upload = await Upload.create(
            journal, len(EVIL), EVIL, Upload_Metadata=upload_metadata(filetype=type_)
        )
        (attachment,) = await journal.list()
        assert attachment["id"] == upload.id
    if type_ in NO_TYPES:
        assert attachment["contentType"] == "application/octet-stream"
    else:
        assert attachment["contentType"].lower().startswith(type_.lower().split(";")[0])
    response = await journal.read(attachment["id"])
    assert response["content-type"] == "application/octet-stream"
    assert response["content-disposition"].split(";")[0] == "attachment"
    assert {name: response[name] for name in SECURITY} == SECURITY
    assert response.body == EVIL


async def test_a_picture_type_with_a_parameter_is_not_trusted(journal: Journal) -> None:
    attachment = await journal.add(EVIL, Content_Type='image/png; charset="x"; a=text/html')
    response = await journal.read(attachment["id"])
    assert response["content-type"] in ("image/png", "application/octet-stream")


async def test_an_attachment_without_a_type_is_served_as_bytes(journal: Journal) -> None:
    attachment = await journal.add(EVIL, Content_Type=None)
    assert attachment["contentType"] == "application/octet-stream"


@pytest.mark.parametrize(("disposition", "name"), NAMES)
async def test_the_name_is_that_in_content_disposition(
    journal: Journal, disposition: str | None, name: str
) -> None:
    attachment = await journal.add(b"x", Content_Disposition=disposition)
    assert attachment["name"] == name
    assert shown_name(await journal.read(attachment["id"])) == name


@pytest.mark.parametrize(
    "disposition",
    ["attachment; filename*=ISO-8859-1''%A3.txt; filename=pound.txt", "attachment; filename*=UTF-8''%ff%fe; filename=x",
     "attachment; filename*=UTF-8''%zz", "attachment; filename*=nonsense", "attachment; filename", ";;;", '"', "",
     'attachment; filename="open', "attachment; filename=\xe9\xff.txt", "filename=x", "inline; filename=x",
     "form-data; name=a; filename=b", "attachment; filename=a; filename=b", "attachment; " + "x=y; " * 3_000],
)  # fmt: skip
async def test_an_invalid_content_disposition_is_harmless(journal: Journal, disposition: str) -> None:
    posted = await journal.post(b"x", Content_Disposition=disposition)
    if posted.status == 201:
        attachment = journal.added(posted, b"x")
        check_name(attachment["name"])
        assert shown_name(await journal.read(attachment["id"])) == attachment["name"]
    else:
        posted.problem(400, "bad-request")
        assert await journal.is_empty()


@pytest.mark.parametrize("way", ["at once", "tus"])
@pytest.mark.parametrize("name", HOSTILE_NAMES)
async def test_a_hostile_name_is_only_displayed(journal: Journal, name: str, way: str) -> None:
    if way == "at once":
        disposition = "attachment; filename*=UTF-8''" + quote(name, safe="")
        attachment = await journal.add(EVIL, Content_Disposition=disposition)
    else:
        await Upload.create(journal, len(EVIL), EVIL, Upload_Metadata=upload_metadata(filename=name))
        (attachment,) = await journal.list()
    check_name(attachment["name"])
    if len(name) == 255:
        assert attachment["name"] == name
    response = await journal.read(attachment["id"])
    assert shown_name(response) == attachment["name"]
    assert not response.all("x-evil") and not response.all("set-cookie")
    assert [file.parent.name for file in journal.files()] == ["attachments"]
    assert len(journal.stored()) == 1


async def test_a_name_in_invalid_utf_8_is_harmless(journal: Journal) -> None:
    creation = await Upload.creation(
        journal, 1, b"x", Upload_Metadata="filename " + base64_of(b"\xff\xfe\x00")
    )
    if creation.status == 201:
        check_name((await journal.list())[0]["name"])
    else:
        creation.problem(400, "bad-request")


METADATA: list[Any] = [
    None, True, 0, -1, 0.5, 1e-7, 12_345_678_901, "", "text", "\u2028🙂\0", [], {}, [1, [2, [3]]],
    {"location": [1.5, -2], "width": 640, "height": 480}, {"a": {"b": None}, "": ["x"]}, {"__proto__": 1},
]  # fmt: skip


@pytest.mark.parametrize("way", ["at once", "tus"])
async def test_metadata_may_be_any_json_and_is_returned(journal: Journal, way: str) -> None:
    for n, metadata in enumerate(METADATA):
        text = upload_metadata(metadata=[metadata]).split()[1]
        if way == "at once":
            attachment = await journal.add(content(n), Attachment_Metadata=text)
        else:
            upload = await Upload.create(journal, n, content(n), Upload_Metadata=f"metadata {text}")
            found = await journal.find(upload.id)
            assert found is not None
            attachment = found
        assert attachment["metadata"] == [metadata]
        assert await journal.find(attachment["id"]) == attachment
    assert (await journal.add(b"", Attachment_Metadata=base64_of("17")))["metadata"] == 17
    assert (await journal.add(b""))["metadata"] is None


@pytest.mark.parametrize("way", ["at once", "tus"])
async def test_metadata_of_4096_bytes_is_accepted_and_one_byte_more_is_refused(
    journal: Journal, way: str
) -> None:
    async def asked(size: int) -> Response:
        text = base64_of('"' + "m" * (size - 2) + '"')
        if way == "at once":
            return await journal.post(b"x", Attachment_Metadata=text)
        return await Upload.creation(journal, 1, b"x", Upload_Metadata=f"metadata {text}")

    assert (await asked(4_096)).status == 201
    (attachment,) = await journal.list()
    assert attachment["metadata"] == "m" * 4_094
    for size in (4_097, 9_000):
        problem = (await asked(size)).problem(400, "bad-request")
        assert (problem["limit"], problem["actual"]) == (4_096, size)
    assert len(await journal.list()) == 1


@pytest.mark.parametrize(
    "value",
    ["!!!", "e30=e30=", "=", "e30===", base64_of("{"), base64_of("nonsense"), base64_of("{} {}"),
     base64_of(b'"\xff"'), base64_of("[" * 4_000), base64_of('{"a": NaN}'), base64_of("'x'"), base64_of("[1,]"),
     base64_of(b"\xef\xbb\xbf{"), base64_of("\0")],
)  # fmt: skip
@pytest.mark.parametrize("way", ["at once", "tus"])
async def test_metadata_that_is_not_json_is_refused(journal: Journal, value: str, way: str) -> None:
    if way == "at once":
        refused = await journal.post(b"x", Attachment_Metadata=value)
    else:
        refused = await Upload.creation(journal, 1, b"x", Upload_Metadata=f"metadata {value}")
    refused.problem(400, "bad-request")
    assert await journal.is_empty()


async def test_deeply_nested_metadata_is_harmless(journal: Journal) -> None:
    posted = await journal.post(b"x", Attachment_Metadata=base64_of("[" * 2_000 + "]" * 2_000))
    assert posted.status in (201, 400)
    assert (await journal.gateway.get(journal.path)).status == 200


@pytest.mark.parametrize(
    "value",
    ["filename !!!", "filename", " ", ",", "filename eA==,,filetype eA==", "filename eA== x", "filename  eA==",
     "fil\x7fename eA==", "filename eA==,filename eQ==", "é eA=="],
)  # fmt: skip
async def test_invalid_upload_metadata_is_refused_or_harmless(journal: Journal, value: str) -> None:
    creation = await Upload.creation(journal, 1, b"x", Upload_Metadata=value)
    if creation.status == 201:
        check_name((await journal.list())[0]["name"])
    else:
        creation.problem(400, "bad-request")
        assert await journal.is_empty()


async def test_every_journal_response_has_the_security_fields(journal: Journal) -> None:
    ready = await journal.add(EVIL, Content_Type="text/html")
    upload = await Upload.create(journal, 10)
    unknown = "0B5F8A52-98C0-4C5F-8A6E-1F2A3B4C5D6E"
    answers = [
        await journal.read(ready["id"]), await journal.head(ready["id"]),
        await journal.read(ready["id"], Range="bytes=0-1"), await journal.read(ready["id"], Range="bytes=999-"),
        await journal.read(ready["id"], If_None_Match="*"), await journal.read(ready["id"], If_Match='"x"'),
        await journal.read(upload.id), await journal.head(upload.id), await journal.read(unknown),
        await journal.head(unknown), await journal.read("none"), await upload.head(),
        await upload.patch(b"x", 5), await upload.patch(b"x", 0), await journal.remove(unknown),
        await journal.gateway.request("PUT", journal.path_of(ready["id"]), {}, b"x"),
        await journal.gateway.request("OPTIONS", journal.path_of(ready["id"])),
        await journal.remove(ready["id"]),
        await journal.gateway.get(journal.path), await journal.post(EVIL, Attachment_Metadata="!"),
    ]  # fmt: skip
    for answer in answers:
        assert answer["x-content-type-options"] == "nosniff", answer
    for answer in answers[:11]:
        assert {name: answer.get(name) for name in SECURITY} == SECURITY, answer


def check_name(name: str) -> None:
    """Checks a name: it is not empty, has no control characters and is not too long."""
    assert name and isinstance(name, str)
    assert not [scalar for scalar in name if unicodedata.category(scalar) in ("Cc", "Cs", "Zl", "Zp")], name
    assert len(name) <= 255 and len(name.encode()) <= 1_024


def shown_name(response: Response) -> str:
    """The name in a download's Content-Disposition, which must be strictly well-formed (RFC 6266)."""
    value = response["content-disposition"]
    assert value.isascii() and value.isprintable(), value
    token, quoted, extended = r"[\w!#$&+.^`|~-]+", r'"(?:[^"\\]|\\.)*"', r"UTF-8''[\w!#$&+.^`|~%-]*"
    form = rf"(?:attachment|inline)(?:; filename=(?P<plain>{token}|{quoted}))?(?:; filename\*=(?P<full>{extended}))?"
    matched = re.fullmatch(form, value)
    assert matched, value
    if matched["full"]:
        assert not re.search("%(?![0-9A-Fa-f]{2})", matched["full"]), value
        return unquote(matched["full"].removeprefix("UTF-8''"), errors="strict")
    plain = matched["plain"]
    return re.sub(r"\\(.)", r"\1", plain[1:-1]) if plain[0] == '"' else plain
