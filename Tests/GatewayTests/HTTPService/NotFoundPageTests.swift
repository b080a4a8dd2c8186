import HTTP
import Platform
import Testing

@testable import Gateway

@Suite("At an address without a resource, a browser gets a page, and other clients get problem details")
struct NotFoundPageTests {
  private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

  private func answer(_ fields: FieldList, _ method: HTTP.Method = .get) throws -> Answer {
    Answer.nothingHere(for: try #require(RequestHead(method, "/nothing", fields: fields)))
  }

  private func body(_ answer: Answer) -> String {
    String(decoding: answer.bytes[answer.range], as: UTF8.self)
  }

  @Test(
    "A page is sent if the client prefers HTML to JSON",
    arguments: [
      (browser, true), ("text/html", true), ("text/html, application/json;q=0.9", true), ("*/*", false),
      (nil, false), ("application/json", false), ("text/html;q=0.5, application/json", false),
      ("text/html, application/problem+json", false), ("text/html;q=0", false),
    ] as [(String?, Bool)])
  func accepted(_ accepted: String?, _ isPage: Bool) throws {
    var fields = FieldList()
    if let accepted { fields.append("Accept", accepted) }
    for method in [HTTP.Method.get, .head] {
      let answer = try answer(fields, method)
      #expect(answer.head.status == .notFound)
      let type = answer.head.fields.first("Content-Type")
      #expect(type == (isPage ? "text/html; charset=utf-8" : "application/problem+json"))
      #expect(answer.head.fields.first("Cache-Control") == "no-store")
      #expect(!answer.range.isEmpty)
    }
    #expect(
      try self.answer(fields, .post).head.fields.first("Content-Type") == "application/problem+json")
  }

  @Test(
    "The page is in the language of the browser, and links to the drawing page",
    arguments: [("de-DE,de;q=0.9,en;q=0.8", "de"), ("ko,fr;q=0.5", "fr"), ("ja", "ja"), ("ko", "en")])
  func language(_ wanted: String, _ language: String) throws {
    let answer = try answer(["Accept": Self.browser, "Accept-Language": wanted])
    #expect(answer.head.fields.first("Content-Language") == language)
    #expect(answer.head.fields.first("Vary") == "Accept, Accept-Language")
    let html = body(answer)
    #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language)\">\n"))
    #expect(html.contains("<a href=\"/\">") && html.contains("</h1>") && html.contains("<title>"))
  }

  @Test("The page has the languages of the drawing page, and each has its direction")
  func languages() throws {
    let table = try #require(try PublicFolder.files(endingWith: "i18n/languages.js").first)
    let languages = String(decoding: table.bytes, as: UTF8.self).matches(of: /code: '(\w+)'/)
      .map { String($0.output.1) }
    #expect(languages.count > 1)
    for language in languages {
      let answer = try answer(["Accept": Self.browser, "Accept-Language": language])
      #expect(answer.head.fields.first("Content-Language") == language)
      let direction = language == "ar" ? " dir=\"rtl\"" : ""
      #expect(body(answer).contains("<html lang=\"\(language)\"\(direction)>\n"))
    }
  }

  @Test("The policy allows the style sheet inside the page, and no other inline part")
  func policy() throws {
    let answer = try answer(["Accept": Self.browser])
    let html = body(answer)
    let start = try #require(html.firstRange(of: "<style>")).upperBound
    let end = try #require(html.firstRange(of: "</style>")).lowerBound
    let style = Array(html[start..<end].utf8)
    let hash = "sha256-" + Base64.encode(SHA256Digest(of: style.span).bytes)
    let policy = try #require(answer.head.fields.first("Content-Security-Policy"))
    #expect(policy == SecurityFields.policy(allowing: InlineHashes(styles: [hash])))
    #expect(!html.contains("<script") && !html.contains("style=") && !html.contains("src="))
  }
}
