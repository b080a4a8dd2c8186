import HTTP
import Testing

@Suite("RFC 9110 §12.4.2, §12.5.1, §12.5.4: a client lists media types and languages with weights")
struct PreferencesTests {
  private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

  @Test(
    "the most specific range that contains a media type determines its weight",
    arguments: [
      (browser, "text/html", 1_000), (browser, "application/json", 800), ("*/*", "text/html", 1_000),
      ("text/*;q=0.3, text/html;q=0.7", "text/html", 700), ("text/html;q=0, */*", "text/html", 0),
      ("text/*;q=0.3", "text/plain", 300), ("application/json", "text/html", 0), ("", "text/html", 0),
      ("TEXT/HTML ; level=1 ; Q=0.25", "text/html", 250), ("text/html;q=2", "text/html", 0),
      ("text/html;q=, */*;q=0.1", "text/html", 100), (";q=1", "text/html", 0), ("text/htmlx", "text/html", 0),
    ])
  func mediaTypes(_ field: String, _ type: String, _ weight: Int) {
    #expect(Preferences("Accept", of: ["Accept": field]).weight(ofMediaType: type) == weight)
  }

  @Test(
    "the language with the highest weight is chosen; among equal weights, the first language",
    arguments: [
      ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr, en;q=0.5, de;q=0.4", "en"), ("DE", "de"), ("en, de", "en"),
      ("de;q=0.5, en;q=0.5", "de"), ("de;q=0, fr", nil), ("den", nil), ("*", nil), ("", nil),
    ] as [(String, String?)])
  func languages(_ field: String, _ language: String?) {
    let wanted = Preferences("Accept-Language", of: ["Accept-Language": field])
    #expect(wanted.language(among: ["en", "de"]) == language)
  }

  @Test("several fields form one list; without a field, and with too many elements, there is no preference")
  func fields() {
    let two = Preferences("Accept", of: ["Accept": "text/plain", "accept": "text/html;q=0.5"])
    #expect(two.weight(ofMediaType: "text/html") == 500)
    #expect(Preferences("Accept", of: [:]).weight(ofMediaType: "text/html") == 0)
    let many = Array(repeating: "text/html", count: 65).joined(separator: ",")
    #expect(Preferences("Accept", of: ["Accept": many]).weight(ofMediaType: "text/html") == 0)
  }
}
