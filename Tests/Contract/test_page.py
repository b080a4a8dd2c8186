"""The page as a browser gets it: the programs in `Public`, without comments and indentation, and small."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tinycss2
import tree_sitter_javascript
from tree_sitter import Language, Parser

from gateway import REPOSITORY, Gateway

PUBLIC = REPOSITORY / "Public"
FILES = sorted(path.relative_to(PUBLIC).as_posix() for path in PUBLIC.rglob("*") if path.is_file())
SCRIPTS = Parser(Language(tree_sitter_javascript.language()))
# The bytes that the page loads before the first stroke.
MOST_BYTES = 150_000

# A comment's end can be found only by distinguishing strings, templates, regular expressions and addresses.
NASTY = {
    ".js": rb"""/** About this. */
const strings = ['//', "/*", '\'//', "\
// still a string"]; // a comment
const templates = `${'/*'}//${`${strings[0] /* a comment */}//` + { a: { b: 1 } }.a}
// not a comment /* */ \`// `; /*
two lines */ let a = 8, b = /[/*]/, c = /\/\/['"`]/g; // a comment
const quotient = a / 2 / [1][0] / (a) / '//'.length / 1. / .5; /**/
if (a) /'/.test(b); // a comment
const f = (/** @type {number} */ x) => { return/**/x -/**/-a };
/*! a licence */
export default /"/.test(c.source) ? f : `//`; //""",
    ".css": rb"""/* About this */
a[title='/*'] /* a comment */.b, c/* stays */d { /* a comment */
  background: url(data:image/svg+xml,//*) /* a comment */ center; /*
  two lines */
  content: "\"/*" '//'; /* a comment */ }
/*! a licence */
""",
}


def read_script(source: bytes) -> tuple[list[Any], list[bytes]]:
    """Parses a script: each node's type, the text and line of the leaves, and the comments."""
    meaning: list[Any] = []
    comments: list[bytes] = []
    root = SCRIPTS.parse(source).root_node
    assert not root.has_error, source
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "comment":
            comments.append(node.text or b"")
            continue
        meaning.append(node.type if node.children else (node.type, node.text, node.start_point.row))
        todo += reversed(node.children)
    return meaning, comments


def read_style(source: bytes) -> tuple[list[Any], list[bytes]]:
    """Parses a style sheet. Any amount of white space, with or without a comment in it, is one space; beside signs
    that separate by themselves it is nothing."""
    comments: list[bytes] = []

    def parts(token: Any, *others: str) -> bool:
        """Returns true if white space beside the token has no meaning: not behind white space, nor beside these
        signs and blocks."""
        return token == "space" or token[0] == "{} block" or (token[0] == "literal" and token[1] in (",", ";", *others))

    def meaning(tokens: list[Any]) -> list[Any]:
        found: list[Any] = []
        for token in tokens:
            assert token.type != "error", token
            if token.type == "comment":
                comments.append(f"/*{token.value}*/".encode())
                continue
            if token.type == "whitespace":
                found += ["space"] if found and not parts(found[-1], ":") else []
                continue
            if token.type == "function":
                found.append((token.name, meaning(token.arguments), token.source_line))
            elif token.type.endswith("block"):
                found.append((token.type, meaning(token.content), token.source_line))
            else:
                found.append((token.type, token.serialize(), token.source_line))
            if parts(found[-1]) and found[-2:-1] == ["space"]:
                del found[-2]
        return found[:-1] if found[-1:] == ["space"] else found

    return meaning(tinycss2.parse_component_value_list(source.decode())), comments


READERS = {".js": read_script, ".css": read_style}


@pytest.mark.parametrize("path", [path for path in FILES if Path(path).suffix in READERS])
async def test_a_file_without_its_comments_means_the_same(gateway: Gateway, path: str) -> None:
    read, source = READERS[Path(path).suffix], (PUBLIC / path).read_bytes()
    assert read((await gateway.get(f"/{path}")).body) == (read(source)[0], [])


@pytest.mark.parametrize("line_break", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("suffix", "kept"),
    [(".js", [b"/*! a licence */"]), (".css", [b"/* stays */", b"/*! a licence */"])],
)
async def test_text_that_looks_like_a_comment_stays(
    gateway_with: Callable[..., Gateway], tmp_path: Path, suffix: str, kept: list[bytes], line_break: bytes
) -> None:
    source = NASTY[suffix].replace(b"\n", line_break)
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / f"nasty{suffix}").write_bytes(source)
    gateway = gateway_with(public=tmp_path)
    served = (await gateway.get(f"/nasty{suffix}")).body
    assert len(READERS[suffix](source)[1]) > len(kept)
    assert READERS[suffix](served) == (READERS[suffix](source)[0], kept)
    assert served.count(line_break) == source.count(line_break)


async def test_the_compressed_page_is_small(gateway: Gateway) -> None:
    lengths = {path: len((await gateway.get(f"/{path}", Accept_Encoding="gzip")).body) for path in FILES}
    total = sum(lengths.values())
    print(f"The page has {len(FILES)} files, {total} bytes as they are sent.")
    assert total <= MOST_BYTES, f"{total} bytes: {sorted(lengths.items(), key=lambda file: -file[1])[:10]}"


async def test_the_manifest_and_its_icons_have_their_types(gateway: Gateway) -> None:
    manifest = await gateway.get("/manifest.webmanifest")
    assert manifest["content-type"] == "application/manifest+json"
    for icon in manifest.json()["icons"]:
        response = await gateway.get(icon["src"])
        assert response.status == 200 and response["content-type"].split(";")[0] == icon["type"]
