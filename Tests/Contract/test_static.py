"""Section 1: the files of the page."""

from __future__ import annotations

import base64
import email.utils
import hashlib
import json
import os

import pytest

from gateway import REPOSITORY, Gateway

SCRIPT = b"// a script\n" + b"export const answer = 42;\n" * 400
STYLE = b"/* a style sheet */\n" + b"body { color: red }\n" * 200
IMAGE = bytes(range(256)) * 8
# The parts inside the markup of a release.
INLINE = {"script": "{ let größe = 1 }", "style": "body{color:red}"}
PAGE_PATHS = ["/", "/s/AAAAAAAAAAAAAAAAAAAAAA", "/s/AAAAAAAAAAAAAAAAAAAAAA/"]
# The files of a release whose names contain a hash.
HASHED = ["js/app-3F5KQ2ZD.js", "js/app-3F5KQ2ZD.js.map", "style-A2B3C4D5.css"]
TRAVERSALS = [
    "/../secret.txt", "/js/../../secret.txt", "/js/..%2f..%2fsecret.txt", "/%2e%2e/secret.txt",
    "/.%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/..%5csecret.txt", "/..\\secret.txt", "/js/....//secret.txt",
    "/%252e%252e/secret.txt", "/..%c0%afsecret.txt", "/%c0%ae%c0%ae/secret.txt", "/js/%00/../../secret.txt",
    "/app.js%00.txt", "//etc/passwd", "/link.txt", "/js/..;/secret.txt", "/.hidden", "/js/.git/config",
    "/outside/secret.txt", "/%2fetc%2fpasswd", "/js", "/js/",
]  # fmt: skip


def hash_of(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@pytest.fixture(scope="module")
def files(gateway_with, tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    """Starts a gateway with files of known bytes, and secrets beside their folder."""
    around = tmp_path_factory.mktemp("files")
    public = around / "Public"
    (public / "js").mkdir(parents=True)
    (public / "js" / ".git").mkdir()
    parts = "".join(f"<{tag}>{text}</{tag}>" for tag, text in INLINE.items())
    (public / "index.html").write_text(f"<!doctype html><title>Draw Together</title>{parts}" + "<p>text</p>" * 300)
    (public / "guide.html").write_text("<!doctype html><title>Guide</title>")
    (public / "js" / "main.js").write_bytes(SCRIPT)
    (public / "app.js").write_text("1")
    (public / "page.css").write_bytes(STYLE)
    (public / "picture.png").write_bytes(IMAGE)
    for name in (*HASHED, "service-worker.js", "report-ABCDEFGH.js"):
        (public / name).write_text(f"// {name}")
    listed = [*HASHED, "index.html", "guide.html", "service-worker.js"]
    hashes = {tag: [hash_of(text)] for tag, text in INLINE.items()}
    (public / "release.json").write_text(json.dumps({"version": "1.0.0", "files": listed, "inline": hashes}))
    (public / ".hidden").write_text("SECRET")
    (public / "js" / ".git" / "config").write_text("SECRET")
    (around / "secret.txt").write_text("SECRET")
    (around / "elsewhere").mkdir()
    (around / "elsewhere" / "secret.txt").write_text("SECRET")
    os.symlink(around / "secret.txt", public / "link.txt")
    os.symlink(around / "elsewhere", public / "outside")
    return gateway_with(public=public)


@pytest.mark.parametrize("path", [*PAGE_PATHS, "/?x=1", "/s/AAAAAAAAAAAAAAAAAAAAAA.", "/s/AAAA", "/s/AAAA%20"])
async def test_the_canvas_page_is_served_at_the_root_and_at_links(gateway: Gateway, path: str) -> None:
    response = await gateway.get(path)
    assert response.status == 200
    assert response["content-type"].replace(" ", "").lower() == "text/html;charset=utf-8"
    assert b"<!doctype html>" in response.body.lower()


async def test_the_page_of_a_clone_is_served_as_it_is_written(gateway: Gateway) -> None:
    public = REPOSITORY / "Public"
    for path in (path for path in public.rglob("*") if path.is_file()):
        assert (await gateway.get(f"/{path.relative_to(public)}")).body == path.read_bytes(), path


async def test_the_manifest_and_its_icons_have_their_types(gateway: Gateway) -> None:
    manifest = await gateway.get("/manifest.webmanifest")
    assert manifest["content-type"] == "application/manifest+json"
    for icon in manifest.json()["icons"]:
        response = await gateway.get(icon["src"])
        assert response.status == 200 and response["content-type"].split(";")[0] == icon["type"]


async def test_the_page_has_its_security_headers(gateway: Gateway) -> None:
    for path in ("/", "/s/AAAAAAAAAAAAAAAAAAAAAA"):
        response = await gateway.get(path)
        policy = response["content-security-policy"]
        assert "unsafe-inline" not in policy and "unsafe-eval" not in policy and "default-src" in policy
        assert response["x-content-type-options"] == "nosniff"
        assert response["referrer-policy"] == "no-referrer"
        assert response.get("strict-transport-security") is None


async def test_hsts_only_when_asked(gateway_with) -> None:
    gateway: Gateway = gateway_with("--hsts")
    async with await gateway.connect(tls=True) as connection:
        await connection.send(f"GET / HTTP/1.1\r\nHost: localhost:{gateway.https[1]}\r\n\r\n")
        assert "max-age" in (await connection.receive())["strict-transport-security"]


@pytest.mark.parametrize(
    ("path", "type_", "body"),
    [
        ("/js/main.js", "text/javascript", SCRIPT),
        ("/picture.png", "image/png", IMAGE),
        ("/page.css", "text/css", STYLE),
    ],
)
async def test_files_have_their_type_and_length(files: Gateway, path: str, type_: str, body: bytes) -> None:
    response = await files.get(path)
    assert response.status == 200
    assert response["content-type"].split(";")[0] == type_
    assert int(response["content-length"]) == len(response.body)
    assert response.body == body
    assert response["x-content-type-options"] == "nosniff"
    head = await files.request("HEAD", path)
    assert head.status == 200 and head.body == b""
    for name in ("content-type", "content-length", "etag"):
        assert head[name] == response[name]


async def test_if_none_match_gets_304(files: Gateway) -> None:
    etag = (await files.get("/js/main.js"))["etag"]
    assert etag.strip("W/").startswith('"') and etag.endswith('"')
    for asked in (etag, f'"other", {etag}', "*", f"W/{etag}" if not etag.startswith("W/") else etag[2:]):
        response = await files.get("/js/main.js", If_None_Match=asked)
        assert response.status == 304 and response["etag"] == etag, asked
        assert not response.body
    assert (await files.get("/js/main.js", If_None_Match='"other"')).status == 200


async def test_if_modified_since_gets_304_unless_if_none_match_differs(files: Gateway) -> None:
    modified = (await files.get("/js/main.js"))["last-modified"]
    assert (await files.get("/js/main.js", If_Modified_Since=modified)).status == 304
    seconds = email.utils.mktime_tz(email.utils.parsedate_tz(modified) or (0,) * 10)
    earlier = email.utils.formatdate(seconds - 60, usegmt=True)
    assert (await files.get("/js/main.js", If_Modified_Since=earlier)).status == 200
    assert (await files.get("/js/main.js", If_Modified_Since="nonsense")).status == 200
    both = await files.get("/js/main.js", If_Modified_Since=modified, If_None_Match='"other"')
    assert both.status == 200


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-0", 0, 0), ("bytes=10-19", 10, 19), ("bytes=2000-", 2_000, 2_047), ("bytes=-100", 1_948, 2_047),
     ("bytes=0-99999", 0, 2_047), ("bytes=-99999", 0, 2_047)],
)  # fmt: skip
async def test_a_range_gets_206(files: Gateway, asked: str, first: int, last: int) -> None:
    response = await files.get("/picture.png", Range=asked)
    assert response.status == 206
    assert response["content-range"] == f"bytes {first}-{last}/2048"
    assert response.body == IMAGE[first : last + 1]
    assert response["accept-ranges"] == "bytes"


@pytest.mark.parametrize("asked", ["bytes=2048-", "bytes=-0", "bytes=9999-10000"])
async def test_a_range_beyond_the_end_gets_416(files: Gateway, asked: str) -> None:
    response = await files.get("/picture.png", Range=asked)
    assert response.status == 416
    assert response["content-range"] == "bytes */2048"


@pytest.mark.parametrize("asked", ["bytes=9-5", "bytes=", "lines=1-2", "bytes=a-b", "nonsense"])
async def test_an_invalid_range_is_ignored(files: Gateway, asked: str) -> None:
    response = await files.get("/picture.png", Range=asked)
    assert response.status == 200 and response.body == IMAGE


async def test_if_range_gets_206_only_for_the_same_file(files: Gateway) -> None:
    etag = (await files.get("/picture.png"))["etag"]
    fits = await files.get("/picture.png", Range="bytes=1-2", If_Range=etag)
    assert fits.status == 206 or etag.startswith("W/")
    other = await files.get("/picture.png", Range="bytes=1-2", If_Range='"other"')
    assert other.status == 200 and other.body == IMAGE


@pytest.mark.parametrize(
    ("accepted", "is_zipped"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("identity", False),
        ("", False),
    ],
)
async def test_text_is_gzipped_when_asked(files: Gateway, accepted: str, is_zipped: bool) -> None:
    plain = await files.get("/js/main.js")
    response = await files.get("/js/main.js", Accept_Encoding=accepted)
    assert response.status == 200
    assert "accept-encoding" in response["vary"].lower() and "accept-encoding" in plain["vary"].lower()
    if is_zipped:
        assert response.unzipped() == SCRIPT and len(response.body) < len(SCRIPT)
        assert response["etag"] != plain["etag"]
        again = await files.get("/js/main.js", Accept_Encoding=accepted, If_None_Match=response["etag"])
        assert again.status == 304
    else:
        assert response.get("content-encoding") is None and response.body == SCRIPT


async def test_pictures_are_not_gzipped(files: Gateway) -> None:
    response = await files.get("/picture.png", Accept_Encoding="gzip")
    assert response.get("content-encoding") is None and response.body == IMAGE


@pytest.mark.parametrize("path", TRAVERSALS)
async def test_no_path_leads_out_of_the_folder(files: Gateway, path: str) -> None:
    response = await files.get(path)
    assert response.status in (400, 403, 404), response
    assert b"SECRET" not in response.body and b"root:" not in response.body
    response.problem(response.status)


async def test_percent_encoded_names_and_inner_dot_segments_are_resolved(files: Gateway) -> None:
    assert (await files.get("/js/m%61in.js")).body == SCRIPT
    assert (await files.get("/js/main.js?version=2")).body == SCRIPT


@pytest.mark.parametrize("path", HASHED)
async def test_browsers_may_keep_a_releases_hashed_files(files: Gateway, path: str) -> None:
    for accepted in ("gzip", "identity"):
        response = await files.get(f"/{path}", Accept_Encoding=accepted)
        assert response.status == 200
        assert response["cache-control"] == "public, max-age=31536000, immutable"
        again = await files.get(f"/{path}", Accept_Encoding=accepted, If_None_Match=response["etag"])
        assert again.status == 304 and again["cache-control"] == response["cache-control"]


@pytest.mark.parametrize("path", PAGE_PATHS)
async def test_browsers_may_use_a_releases_page_while_they_ask_for_a_newer_one(files: Gateway, path: str) -> None:
    response = await files.get(path)
    assert response.status == 200
    assert response["cache-control"] == "private, max-age=0, stale-while-revalidate=86400"
    again = await files.get(path, If_None_Match=response["etag"])
    assert again.status == 304 and again["cache-control"] == response["cache-control"]


@pytest.mark.parametrize("path", ["/service-worker.js", "/guide.html", "/report-ABCDEFGH.js", "/js/main.js"])
async def test_browsers_ask_for_all_other_files_again(files: Gateway, path: str) -> None:
    response = await files.get(path)
    assert response.status == 200 and response["cache-control"] == "no-cache"
    assert (await files.get(path, If_None_Match=response["etag"])).status == 304


@pytest.mark.parametrize("path", PAGE_PATHS)
async def test_browsers_ask_for_the_page_of_a_clone_again(gateway: Gateway, path: str) -> None:
    assert (await gateway.get(path))["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", PAGE_PATHS)
async def test_the_policy_of_a_releases_page_has_the_hashes_of_its_inline_parts(
    gateway: Gateway, files: Gateway, path: str
) -> None:
    usual = (await gateway.get("/"))["content-security-policy"]
    response = await files.get(path)
    policy = response["content-security-policy"]
    expected = usual
    for tag, text in INLINE.items():
        assert f"<{tag}>{text}</{tag}>" in response.body.decode()
        expected = expected.replace(f"{tag}-src 'self'", f"{tag}-src 'self' '{hash_of(text)}'")
    assert policy == expected != usual
    # A browser replaces the stored fields by those of a 304.
    again = await files.get(path, If_None_Match=response["etag"])
    assert again.status == 304 and again["content-security-policy"] == policy
    for other in ("/guide.html", "/service-worker.js", "/none", "/api/limits"):
        assert (await files.get(other))["content-security-policy"] == usual, other


async def test_the_manifest_of_a_release_is_not_served(files: Gateway) -> None:
    (await files.get("/release.json")).problem(404)
