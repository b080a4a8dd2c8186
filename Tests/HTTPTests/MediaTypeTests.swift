import HTTP
import Testing

@Suite("Media types, RFC 9110 §8.3")
struct MediaTypeTests {
  struct Known: Sendable {
    let name: String
    let type: String
    let isCompressible: Bool
  }

  @Test(
    "a file is served by what its name ends in",
    arguments: [
      Known(name: "index.html", type: "text/html; charset=utf-8", isCompressible: true),
      Known(name: "main.js", type: "text/javascript; charset=utf-8", isCompressible: true),
      Known(name: "main.mjs", type: "text/javascript; charset=utf-8", isCompressible: true),
      Known(name: "page.css", type: "text/css; charset=utf-8", isCompressible: true),
      Known(name: "icon.svg", type: "image/svg+xml; charset=utf-8", isCompressible: true),
      Known(name: "main.js.map", type: "application/json", isCompressible: true),
      Known(name: "a.json", type: "application/json", isCompressible: true),
      Known(name: "a.webmanifest", type: "application/manifest+json", isCompressible: true),
      Known(name: "a.wasm", type: "application/wasm", isCompressible: true),
      Known(name: "A.PNG", type: "image/png", isCompressible: false),
      Known(name: "a.jpg", type: "image/jpeg", isCompressible: false),
      Known(name: "a.gif", type: "image/gif", isCompressible: false),
      Known(name: "a.webp", type: "image/webp", isCompressible: false),
      Known(name: "a.avif", type: "image/avif", isCompressible: false),
      Known(name: "favicon.ico", type: "image/vnd.microsoft.icon", isCompressible: true),
      Known(name: "a.woff2", type: "font/woff2", isCompressible: false),
      Known(name: "a.txt", type: "text/plain; charset=utf-8", isCompressible: true),
      Known(name: "a.md", type: "text/markdown; charset=utf-8", isCompressible: true),
      Known(name: "a.xml", type: "application/xml; charset=utf-8", isCompressible: true),
      Known(name: "a.exe", type: "application/octet-stream", isCompressible: false),
      Known(name: "html", type: "application/octet-stream", isCompressible: false),
      Known(name: "a.", type: "application/octet-stream", isCompressible: false),
      Known(name: "", type: "application/octet-stream", isCompressible: false),
    ])
  func names(_ known: Known) {
    let type = MediaType.forFileName(known.name)
    #expect(type.value == known.type)
    #expect(type.isCompressible == known.isCompressible)
  }
}
