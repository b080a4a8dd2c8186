"""Pictures like those of cameras and users, and ways to add them to a page."""

from __future__ import annotations

import base64
import mimetypes
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

Color = tuple[int, int, int]
ORANGE, TEAL, PLUM = (214, 106, 38), (28, 140, 134), (120, 58, 128)


def photo(folder: Path, name: str, color: Color, size: tuple[int, int] = (1200, 800)) -> Path:
    """Writes a picture with this color in the middle, darker at the edges and grainy; a PNG is uncompressed, three bytes
    a pixel."""
    grain = Image.effect_noise(size, 24).convert("RGB")
    shade = Image.radial_gradient("L").resize(size).point(lambda value: value // 3)
    taken = Image.composite(Image.new("RGB", size, "black"), Image.blend(Image.new("RGB", size, color), grain, 0.1), shade)
    path = folder / name
    taken.save(path, **({"compress_level": 0} if path.suffix == ".png" else {"quality": 92}))
    return path


def paper(folder: Path, name: str = "minutes.pdf") -> Path:
    path = folder / name
    Image.new("RGB", (595, 842), "white").save(path)
    return path


def drop(page: Page, at: tuple[float, float], *paths: Path) -> None:
    """Drops files on the page: by the browser itself if it supports that, else by a similar event."""
    x, y = at
    if page.context.browser.browser_type.name == "chromium":
        hand = page.context.new_cdp_session(page)
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            hand.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})
        return
    page.evaluate(DROP, {"files": [described(path) for path in paths], "x": x, "y": y})


def paste(page: Page, path: Path) -> None:
    """Pastes a file by the clipboard if that works without a screen, else by a similar event."""
    if page.context.browser.browser_type.name == "chromium":
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate(COPY, described(path))
        page.keyboard.press("Control+V")
        return
    page.evaluate(PASTE, described(path))


def described(path: Path) -> dict[str, str]:
    kind = mimetypes.guess_type(path.name)[0] or ""
    return {"name": path.name, "type": kind, "bytes": base64.b64encode(path.read_bytes()).decode()}


BYTES = "const bytesOf = ({ bytes }) => Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));"
FILES = f"""{BYTES}
const filled = (files) => {{
  const data = new DataTransfer();
  for (const file of files) data.items.add(new File([bytesOf(file)], file.name, {{ type: file.type }}));
  return data;
}};"""
DROP = f"""({{ files, x, y }}) => {{ {FILES}
  const options = {{ bubbles: true, cancelable: true, dataTransfer: filled(files), clientX: x, clientY: y }};
  for (const kind of ['dragenter', 'dragover', 'drop']) canvas.dispatchEvent(new DragEvent(kind, options));
}}"""
COPY = f"""async (file) => {{ {BYTES}
  const blob = new Blob([bytesOf(file)], {{ type: file.type }});
  await navigator.clipboard.write([new ClipboardItem({{ [file.type]: blob }})]);
}}"""
# In Firefox the constructor of the event loses the files.
PASTE = f"""(file) => {{ {FILES}
  const event = new ClipboardEvent('paste', {{ bubbles: true, cancelable: true }});
  Object.defineProperty(event, 'clipboardData', {{ value: filled([file]) }});
  document.body.dispatchEvent(event);
}}"""
