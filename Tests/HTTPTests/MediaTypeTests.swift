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
    "the type of a file depends on its extension",
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

  struct Named: Sendable, CustomTestStringConvertible {
    let text: String
    var essence: String?
    var isSafeImage = false
    var isCompressible = false

    var testDescription: String { text }
  }

  @Test(
    "RFC 9110 §8.3.1: valid media types are parsed, and invalid ones are refused",
    arguments: [
      Named(text: "image/png", essence: "image/png", isSafeImage: true),
      Named(text: "IMAGE/Jpeg", essence: "image/jpeg", isSafeImage: true),
      Named(text: "image/gif ; a=b", essence: "image/gif", isSafeImage: true),
      Named(text: "image/webp;", essence: "image/webp", isSafeImage: true),
      Named(text: "image/avif", essence: "image/avif", isSafeImage: true),
      Named(text: "image/svg+xml", essence: "image/svg+xml", isCompressible: true),
      Named(text: "image/png2", essence: "image/png2"),
      Named(text: "text/html;charset=utf-8", essence: "text/html", isCompressible: true),
      Named(text: "Text/HTML;Charset=\"utf-8\"", essence: "text/html", isCompressible: true),
      Named(text: "text/html; charset=\"utf-8\\\"; x=\"", essence: "text/html", isCompressible: true),
      Named(text: "application/vnd.a-b.c+json; v=1; w=2", essence: "application/vnd.a-b.c+json"),
      Named(text: "a/b;c=\"image/png\"", essence: "a/b"),
      Named(text: "a/b;c=\"\u{E9}\"", essence: "a/b"),
      Named(text: ""), Named(text: "image"), Named(text: "image/"), Named(text: "/png"), Named(text: "a/b/c"),
      Named(text: "image / png"), Named(text: "image/png, text/html"), Named(text: "image/png x"),
      Named(text: "image/png;x"), Named(text: "image/png;x="), Named(text: "image/png;=x"),
      Named(text: "image/png; x =y"), Named(text: "image/png; x= y"), Named(text: "image/png;x=\"y"),
      Named(text: "image/png;x=\"y\\"), Named(text: "image/png;x=\"y\"z"), Named(text: "image/png;a=1;A=2"),
      Named(text: "image/png\r\nX: y"), Named(text: "image/png;x=\"\u{0}\""), Named(text: " image/png"),
      Named(text: "image/\u{E9}"), Named(text: "image/png;x=\"\u{20AC}\""),
    ])
  func parses(_ named: Named) {
    let type = MediaType(parsing: named.text)
    #expect(type?.value == named.essence.map { _ in named.text })
    #expect(type?.essence == named.essence)
    #expect(type?.isSafeImage ?? false == named.isSafeImage)
    #expect(type?.isCompressible ?? false == named.isCompressible)
  }

  @Test(
    "RFC 9110 §8.3.1: the type for each file extension is a valid media type",
    arguments: ["a.html", "a.png", "a.ico", "a.exe", "a.webmanifest"])
  func filesHaveMediaTypes(_ name: String) {
    let type = MediaType.forFileName(name)
    #expect(MediaType(parsing: type.value) == type)
  }
}
