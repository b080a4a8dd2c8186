import Testing

@testable import Gateway

/// Style sheets without comments and blanks (CSS Syntax 3 §4).
@Suite("Minified style sheets")
struct StyleMinifierTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    /// The minified sheet; nil if the sheet must be served unchanged.
    let result: String?

    init(_ rule: String, _ source: String, _ result: String?) {
      (self.rule, self.source, self.result) = (rule, source, result)
    }

    var testDescription: String { "\(rule): \(source)" }
  }

  static let cases: [Case] = [
    Case("§4.3.2 a line's end", "a { b: c; /* d */\n}", "a{b:c;\n}"),
    Case("§4.3.2 lines", "/* a\r\n * b\r\n */\r\nc {}\n", "\r\n\r\n\r\nc{}\n"),
    Case("§4.3.2 beside a space", "a /* b */.c, d/* e */ .f {}", "a .c,d .f{}"),
    Case("§4.3.2 between what must not touch", "a/* b */b, .c/*\n*/.d {}", "a/* b */b,.c/*\n*/.d{}"),
    Case("§4.3.2 two in a row", "a/* b *//* c */ .d {}", "a/* b */ .d{}"),
    Case("§4.3.2 the end", "a {} /* b */", "a{}"),
    Case("§4.3.2 a block that looks closed", "/*/ a */ b {}", "b{}"),
    Case("§4.3.2 U+2028 is a character like others", "a /* \u{2028} */ b {}", "a b{}"),
    Case("§4.3.2 two slashes are no comment", "a { b: // /* c */\n }", "a{b://\n}"),
    Case("§4.3.2 an unclosed comment", "a {} /* b", nil),
    Case("§4.3.2 one that is only begun", "a {} /*/", nil),
    Case("§4.3.5 strings", #"a { b: "/*" '\'/*' "\\" /* c */ }"#, #"a{b:"/*" '\'/*' "\\" }"#),
    Case("§4.3.5 a string over two lines", "a { b: '\\\n/*' /* c */ }", "a{b:'\\\n/*' }"),
    Case("§4.3.5 an unclosed string", "a { b: 'c /* d */\n }", nil),
    Case("§4.3.6 an address", "a { b: url(data:,/*) /* c */ }", "a{b:url(data:,/*) }"),
    Case(
      "§4.3.6 an address in capital letters", "a { b: URL( //c/*\\)/*) /* d */ }", "a{b:URL( //c/*\\)/*) }"),
    Case("§4.3.6 one in quotes", "a { b: url( '/*)' /* c */ ) }", "a{b:url( '/*)' )}"),
    Case("§4.3.6 another function", "a { b: my-url( /* c */ d) }", "a{b:my-url( d)}"),
    Case("§4.3.6 an unclosed address", "a { /* b */ c: url(d }", nil),
    Case("§4.3.7 an escape", ".a\\:b /* c */ {}", ".a\\:b {}"),
    Case("§4.3.7 one that a space may belong to", ".\\31 /* a */\n.b {}", nil),
    Case("§4.3.7 one in a function's name", "a { /* b */ c: u\\rl(/*) }", nil),
    Case("§4.3.7 a backslash at the end", "/* a */ b\\", nil),
    Case("a licence", "/*! (c) */ a {} /* @license MIT */", "/*! (c) */ a{}/* @license MIT */"),
    Case("a blank at a line's edge", " a \n\t{\n\t } ", "a\n{\n}"),
    Case("blanks beside signs that part", "a , b { c : d e ; --f: ; }", "a,b{c :d e;--f:;}"),
    Case("§17 blanks that combine selectors", "a :hover + [b] > .c {}", "a :hover + [b] > .c{}"),
    Case("§4.3.5 blanks in a string", "a { b: ' ; { ' }", "a{b:' ; { '}"),
    Case("nothing", "", ""),
  ]

  @Test(
    "The meaning and the lines of a sheet stay the same; files with an unclear meaning stay unchanged",
    arguments: cases)
  func result(_ test: Case) {
    let result = StyleMinifier.minified(Array(test.source.utf8))
    #expect(result.map { String(decoding: $0, as: UTF8.self) } == test.result)
  }

  @Test("A file that is truncated at any byte causes no trap, and keeps its lines")
  func cuts() {
    for test in Self.cases {
      let source = Array(test.source.utf8)
      for count in 0...source.count {
        let part = Array(source[..<count])
        guard let result = StyleMinifier.minified(part) else { continue }
        #expect(result.filter(\.isLineBreak) == part.filter(\.isLineBreak), "\(test), \(count) bytes")
      }
    }
  }

  @Test("Each style sheet of the page is minified")
  func page() throws {
    let files = try PublicFolder.files(endingWith: ".css")
    #expect(files.count > 1)
    for (path, source) in files {
      let result = try #require(StyleMinifier.minified(source), "\(path) is served as it is")
      #expect(result.filter(\.isLineBreak) == source.filter(\.isLineBreak), "\(path)")
      #expect(!String(decoding: result, as: UTF8.self).contains("/*"), "\(path)")
    }
  }
}
