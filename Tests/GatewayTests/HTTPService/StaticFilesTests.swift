import HTTP
import Testing

@testable import Gateway

@Suite("StaticFiles answers requests for the files of the page")
struct StaticFilesTests {
  private static let modified = HTTPDate(secondsSinceEpoch: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
  private static let now = HTTPDate(secondsSinceEpoch: 1_795_264_159)
  private static let script = Array(String(repeating: "let ink = 1;  // blue\n", count: 100).utf8)
  private static let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3, 4, 5, 6]
  /// The entity tag of the picture: the beginning of its SHA-256.
  private static let pictureTag = "\"3a801022cd182df61cd951552403f0e6\""

  private let files: StaticFiles

  init() throws {
    func file(
      _ name: String, _ bytes: [UInt8], modified: HTTPDate? = Self.modified,
      caching: Caching = .revalidated, policy: String? = nil
    ) throws -> StaticFile {
      try #require(
        StaticFile(
          name: name, bytes: bytes, modified: modified, caching: caching, contentSecurityPolicy: policy))
    }
    files = StaticFiles([
      ("index.html", try file("index.html", Array("<p>".utf8))),
      ("js/main.js", try file("main.js", Self.script)),
      ("js/app-3F5KQ2ZD.js", try file("app-3F5KQ2ZD.js", Self.script, caching: .immutable)),
      ("a b/größe.png", try file("größe.png", Self.picture)),
      ("large.html", try file("large.html", Self.script)),
      (
        "policy.html",
        try file("policy.html", Self.script, caching: .revalidatedInBackground, policy: "script-src 'self'")
      ),
      ("empty.txt", try file("empty.txt", [], modified: nil)),
    ])
  }

  private func answer(
    _ method: Method, _ path: String, _ fields: FieldList = [:], isCrossSiteReferral: Bool = false
  ) throws -> StaticFiles.Answer? {
    let head = try #require(RequestHead(method, path, fields: fields))
    return files.answer(to: head, isCrossSiteReferral: isCrossSiteReferral, now: Self.now)
  }

  private func body(_ answer: StaticFiles.Answer) -> [UInt8] { Array(answer.bytes[answer.range]) }

  @Test("GET returns the whole file as it is on the disk, with the header fields that caches need")
  func whole() throws {
    let answer = try #require(try answer(.get, "/a%20b/gr%C3%B6%C3%9Fe.png"))
    #expect(body(answer) == Self.picture)
    #expect(
      answer.head
        == ResponseHead(
          200,
          fields: [
            "Cache-Control": "no-cache", "Accept-Ranges": "bytes", "ETag": Self.pictureTag,
            "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Content-Type": "image/png",
            "Content-Length": "10",
          ]))
  }

  @Test(
    "The page is served for `/`, for `/index.html`, and for every link to a session, even a damaged one",
    arguments: [
      ("/", true), ("/index.html", true), ("/s/AbCdEfGhIjKlMnOpQrStUw", true), ("/s/x", true),
      ("/?q=1", true), ("/s/x/", true), ("/s/x.", true), ("/s/x%20", true), ("/s/x)", true),
      ("/s", false), ("/s/", false), ("/s/x/y", false), ("/s/x//", false), ("/js/", false), ("/js", false),
      ("/js/main.js/", false), ("/nothing", false), ("/INDEX.html", false),
    ])
  func page(_ path: String, _ isPage: Bool) throws {
    #expect(try answer(.get, path).map { body($0) == Array("<p>".utf8) } ?? false == isPage)
  }

  @Test(
    "A path that leads out of the folder, or is a second spelling of a file's path, finds no file",
    arguments: [
      "/../index.html", "/js/../index.html", "/%2e%2e/index.html", "/js/%2e%2e%2findex.html", "/js%2fmain.js",
      "/js//main.js", "//index.html", "/.index.html", "/index.html%00", "/js\\main.js", "/%", "/%zz",
      "/a%20b/gro%CC%88%C3%9Fe.png", "/a%20b/gr%F6%DFe.png", "/%252e%252e/index.html",
    ])
  func traversal(_ path: String) throws {
    guard let head = RequestHead(.get, path) else { return }
    #expect(files.answer(to: head, isCrossSiteReferral: false, now: Self.now) == nil)
  }

  struct Condition: Sendable, CustomTestStringConvertible {
    let rule: String
    var method = Method.get
    let fields: FieldList
    let status: Int
    var range = 0..<0
    var contentRange: String?
    var testDescription: String { rule }
  }

  @Test(
    "RFC 9110 §13, §14: conditional requests and range requests are answered as required",
    arguments: [
      Condition(rule: "§13.1.2 the same entity tag", fields: ["If-None-Match": pictureTag], status: 304),
      Condition(rule: "§13.1.2 any entity tag", method: .head, fields: ["If-None-Match": "*"], status: 304),
      Condition(
        rule: "§13.1.2 another entity tag", fields: ["If-None-Match": "\"x\""], status: 200, range: 0..<10),
      Condition(
        rule: "§13.1.3 not modified since", fields: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"],
        status: 304),
      Condition(
        rule: "§13.1.3 modified since", fields: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"],
        status: 200,
        range: 0..<10),
      Condition(rule: "§13.1.1 another entity tag", fields: ["If-Match": "\"x\""], status: 412),
      Condition(
        rule: "§14.2 first bytes", fields: ["Range": "bytes=0-3"], status: 206, range: 0..<4,
        contentRange: "bytes 0-3/10"),
      Condition(
        rule: "§14.1.2 last bytes", fields: ["Range": "bytes=-2"], status: 206, range: 8..<10,
        contentRange: "bytes 8-9/10"),
      Condition(
        rule: "§15.5.17 beyond the end", fields: ["Range": "bytes=10-"], status: 416,
        contentRange: "bytes */10"),
      Condition(
        rule: "§13.1.5 a range of this version", fields: ["Range": "bytes=1-1", "If-Range": pictureTag],
        status: 206,
        range: 1..<2, contentRange: "bytes 1-1/10"),
      Condition(
        rule: "§13.1.5 a range of another version", fields: ["Range": "bytes=1-1", "If-Range": "\"x\""],
        status: 200,
        range: 0..<10),
      Condition(rule: "§14.2 HEAD has no range", method: .head, fields: ["Range": "bytes=0-3"], status: 200),
    ])
  func conditions(_ condition: Condition) throws {
    let answer = try #require(
      try answer(condition.method, "/a%20b/gr%C3%B6%C3%9Fe.png", condition.fields))
    #expect(answer.head.status.code == condition.status)
    #expect(answer.head.fields.first("Content-Range") == condition.contentRange)
    if condition.status < 400 {
      #expect(answer.range == condition.range)
      #expect(answer.head.fields.first("ETag") == Self.pictureTag)
      #expect(answer.head.fields.first("Cache-Control") == "no-cache")
    }
    if condition.status == 304 { #expect(answer.head.fields.first("Content-Length") == nil) }
  }

  @Test(
    "RFC 9110 §8.8.3: if a client accepts gzip, it gets compressed text with a different entity tag and length"
  )
  func gzip() throws {
    let plain = try #require(try answer(.get, "/js/main.js"))
    #expect(body(plain) == Self.script)
    #expect(plain.head.fields.first("Vary") == "Accept-Encoding")
    #expect(plain.head.fields.first("Content-Encoding") == nil)
    #expect(plain.head.fields.first("Content-Type") == "text/javascript; charset=utf-8")

    let packed = try #require(try answer(.get, "/js/main.js", ["Accept-Encoding": "gzip, br"]))
    #expect(packed.head.fields.first("Content-Encoding") == "gzip")
    #expect(packed.head.fields.first("Vary") == "Accept-Encoding")
    #expect(packed.head.fields.first("Content-Type") == "text/javascript; charset=utf-8")
    #expect(packed.head.fields.first("Content-Length") == String(packed.range.count))
    #expect(body(packed).starts(with: [0x1F, 0x8B, 8]))
    #expect(packed.range.count < Self.script.count / 4)

    let tag = try #require(packed.head.fields.first("ETag"))
    #expect(tag != plain.head.fields.first("ETag"))
    let again = ["Accept-Encoding": "gzip", "If-None-Match": tag] as FieldList
    #expect(try answer(.get, "/js/main.js", again)?.head.status == .notModified)
    #expect(try answer(.get, "/js/main.js", ["If-None-Match": tag])?.head.status == .ok)
    let part = try #require(
      try answer(.get, "/js/main.js", ["Accept-Encoding": "gzip", "Range": "bytes=0-1"]))
    #expect(body(part) == [0x1F, 0x8B])
    #expect(part.head.fields.first("Content-Range") == "bytes 0-1/\(packed.range.count)")
  }

  @Test(
    "If a link on another site leads to the page, the page is sent uncompressed, but its scripts are compressed",
    arguments: [false, true])
  func referred(_ isCrossSiteReferral: Bool) throws {
    let fields: FieldList = ["Accept-Encoding": "gzip"]
    let page = try #require(
      try answer(.get, "/large.html", fields, isCrossSiteReferral: isCrossSiteReferral))
    #expect(page.head.fields.first("Content-Encoding") == (isCrossSiteReferral ? nil : "gzip"))
    #expect(page.head.fields.first("Vary") == "Accept-Encoding")
    let script = try #require(
      try answer(.get, "/js/main.js", fields, isCrossSiteReferral: isCrossSiteReferral))
    #expect(script.head.fields.first("Content-Encoding") == "gzip")
  }

  @Test(
    "A file that gzip does not make smaller has no compressed form",
    arguments: ["/", "/empty.txt", "/a%20b/gr%C3%B6%C3%9Fe.png"])
  func withoutTwin(_ path: String) throws {
    let answer = try #require(try answer(.get, path, ["Accept-Encoding": "gzip"]))
    #expect(answer.head.fields.first("Content-Encoding") == nil)
    #expect(answer.head.fields.first("Vary") == nil)
  }

  @Test("RFC 8246: browsers may keep a file that never changes, in both forms, and never ask for it again")
  func immutable() throws {
    let path = "/js/app-3F5KQ2ZD.js"
    let plain = try #require(try answer(.get, path))
    let tag = try #require(plain.head.fields.first("ETag"))
    let answers: [(Int, StaticFiles.Answer?)] = [
      (200, plain), (200, try answer(.get, path, ["Accept-Encoding": "gzip"])),
      (200, try answer(.head, path)),
      (206, try answer(.get, path, ["Range": "bytes=0-1"])),
      (304, try answer(.get, path, ["If-None-Match": tag])),
    ]
    for (status, answer) in answers {
      let head = try #require(answer?.head)
      #expect(head.status.code == status)
      #expect(head.fields.all("Cache-Control") == ["public, max-age=31536000, immutable"])
      #expect(head.fields.first("Vary") == "Accept-Encoding")
    }
    let refused = try #require(try answer(.get, path, ["If-Match": "\"x\""]))
    #expect(refused.head.status.code == 412)
    #expect(refused.head.fields.all("Cache-Control") == ["no-store"])
  }

  @Test("RFC 9110 §15.4.5: a 304 has the policy of the file, because browsers store the fields of the 304")
  func policy() throws {
    let page = try #require(try answer(.get, "/policy.html"))
    let tag = try #require(page.head.fields.first("ETag"))
    let answers: [(Int, StaticFiles.Answer?)] = [
      (200, page), (200, try answer(.get, "/policy.html", ["Accept-Encoding": "gzip"])),
      (200, try answer(.head, "/policy.html")),
      (206, try answer(.get, "/policy.html", ["Range": "bytes=0-1"])),
      (304, try answer(.get, "/policy.html", ["If-None-Match": tag])),
    ]
    for (status, answer) in answers {
      var head = try #require(answer?.head)
      #expect(head.status.code == status)
      #expect(head.fields.all("Cache-Control") == ["private, max-age=0, stale-while-revalidate=86400"])
      SecurityFields.add(to: &head, withTransportSecurity: false)
      #expect(head.fields.all("Content-Security-Policy") == ["script-src 'self'"])
    }
    #expect(try answer(.get, "/large.html")?.head.fields.first("Content-Security-Policy") == nil)
  }

  @Test("RFC 9110 §9.3.2: the response to HEAD is the response to GET without its body")
  func head() throws {
    for fields in [[:], ["Accept-Encoding": "gzip"]] as [FieldList] {
      let get = try #require(try answer(.get, "/js/main.js", fields))
      let head = try #require(try answer(.head, "/js/main.js", fields))
      #expect(head.head == get.head)
      #expect(head.range.isEmpty)
    }
  }

  @Test(
    "RFC 9110 §15.5.6, §9.3.7: a method that is not allowed is refused with the list of allowed methods",
    arguments: [Method.post, .put, .patch, .delete, .other("BREW")])
  func methods(_ method: Method) throws {
    let refused = try #require(try answer(method, "/"))
    #expect(refused.head.status == .methodNotAllowed)
    #expect(refused.head.fields.first("Allow") == "GET, HEAD, OPTIONS")
    #expect(refused.head.fields.first("Content-Type") == "application/problem+json")
    #expect(refused.head.fields.first("Content-Length") == String(refused.range.count))
    #expect(!refused.range.isEmpty)
  }

  @Test("RFC 9110 §9.3.7: the response to OPTIONS lists the allowed methods")
  func options() throws {
    let answer = try #require(try answer(.options, "/js/main.js"))
    #expect(answer.head == ResponseHead(204, fields: ["Allow": "GET, HEAD, OPTIONS"]))
    #expect(try self.answer(.options, "*") == nil)
  }

  @Test("Every response has the security fields, but `Strict-Transport-Security` only if it is turned on")
  func security() {
    var head = ResponseHead(.ok)
    SecurityFields.add(to: &head, withTransportSecurity: false)
    #expect(
      head.fields == [
        "Content-Security-Policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
          + "manifest-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
      ])
    var strict = ResponseHead(.ok, fields: ["Content-Security-Policy": "sandbox"])
    SecurityFields.add(to: &strict, withTransportSecurity: true)
    #expect(strict.fields.first("Strict-Transport-Security") == "max-age=31536000")
    #expect(strict.fields.all("Content-Security-Policy") == ["sandbox"])
  }
}
