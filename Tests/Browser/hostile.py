"""Files that try to run scripts and report that they ran, and the ways to refer to a file that may run it."""

from __future__ import annotations

# A running script reports this to the whole origin and to the server, and leaves traces.
SCRIPT = """
(async () => {
  const attempts = [
    () => new BroadcastChannel('hostile').postMessage('NAME'),
    () => localStorage.setItem('NAME', 'ran'),
    () => { document.cookie = 'NAME=ran; path=/'; },
    () => fetch('/?ran=NAME', { mode: 'no-cors' }),
    () => { new Image().src = '/?ran=NAME'; },
    () => { top.reached = 'NAME'; },
    () => { opener.reached = 'NAME'; },
  ];
  for (const attempt of attempts) {
    try { await attempt(); } catch {}
  }
})();
"""
HTML = f"<!doctype html><title>NAME</title><body onload='0'><script>{SCRIPT}</script>"
XHTML = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>NAME</title><script>//<![CDATA[\n{SCRIPT}\n//]]></script></head><body/></html>'
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>//<![CDATA[\n{SCRIPT}\n//]]></script><rect width="40" height="40"/></svg>'
CSS = "html { --ran: NAME; } @import '/?ran=NAME-imported';"
# Both the first bytes of a picture and a script.
GIF = f"GIF89a=1;{SCRIPT}"
MULTIPART = f"--part\r\nContent-Type: text/html\r\n\r\n{HTML}\r\n--part--\r\n"
PDF = """%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL("/?ran=NAME"))>>>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>> endobj
trailer <</Root 1 0 R>>
%%EOF
"""

# For each file: name, claimed type and content.
FILES = [
    ("page.html", "text/html", HTML),
    ("page-in-utf-8.html", "text/html; charset=utf-8", HTML),
    ("page.xhtml", "application/xhtml+xml", XHTML),
    ("page.xml", "text/xml", XHTML),
    ("drawing.svg", "image/svg+xml", SVG),
    ("script.js", "text/javascript", SCRIPT),
    ("older-script.js", "application/x-javascript", SCRIPT),
    ("style.css", "text/css", CSS),
    ("parts.html", "multipart/x-mixed-replace; boundary=part", MULTIPART),
    ("paper.pdf", "application/pdf", PDF),
    ("no-type.html", "", HTML),
    # Files that claim to be pictures: these are served with the claimed type.
    ("script.png", "image/png", SCRIPT),
    ("page.png", "image/png", HTML),
    ("page.jpg", "image/jpeg", HTML),
    ("script.gif", "image/gif", GIF),
    ("drawing.webp", "image/webp", SVG),
    ("style.avif", "image/avif", CSS),
]
PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif")

# Refers to a file in each way that can run it; each way ends with its result. Frames are in BY_FRAME.
BY_NAME = """async (address) => {
  const inserted = (name, attributes) =>
    new Promise((done) => {
      const element = Object.assign(document.createElement(name), attributes);
      element.onload = () => done('loaded');
      element.onerror = () => done('refused');
      document.body.append(element);
    });
  const started = (options) =>
    new Promise((done) => {
      try {
        const worker = new Worker(address, options);
        worker.onerror = () => done('refused');
        const channel = new BroadcastChannel('hostile');
        channel.onmessage = () => done('loaded');
      } catch {
        done('refused');
      }
    });
  const ways = {
    script: () => inserted('script', { src: address }),
    module: () => inserted('script', { type: 'module', src: address }),
    import: () => import(address).then(() => 'loaded', () => 'refused'),
    stylesheet: () => inserted('link', { rel: 'stylesheet', href: address }),
    worker: () => started({}),
    'module worker': () => started({ type: 'module' }),
    'service worker': () => navigator.serviceWorker.register(address).then(() => 'loaded', () => 'refused'),
  };
  const found = {};
  for (const [way, run] of Object.entries(ways)) found[way] = await run();
  return found;
}"""
FRAMES = [("iframe", "src"), ("object", "data"), ("embed", "src"), ("img", "src")]
BY_FRAME = """([address, frames]) => {
  for (const [name, attribute] of frames) {
    const element = document.createElement(name);
    element[attribute] = address;
    document.body.append(element);
  }
}"""
