import Testing

@testable import Gateway

/// The removal of comments and white space from style sheets (CSS Syntax 3 §4).
@Suite("StyleMinifier shortens style sheets without a change of their meaning")
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
    Case("§4.3.2 a comment at the end of a line", "a { b: c; /* d */\n}", "a{b:c;\n}"),
    Case("§4.3.2 a comment keeps its line breaks", "/* a\r\n * b\r\n */\r\nc {}\n", "\r\n\r\n\r\nc{}\n"),
    Case("§4.3.2 a comment beside a space", "a /* b */.c, d/* e */ .f {}", "a .c,d .f{}"),
    Case(
      "§4.3.2 a comment between tokens that must stay separate", "a/* b */b, .c/*\n*/.d {}",
      "a/* b */b,.c/*\n*/.d{}"),
    Case("§4.3.2 two comments in a row", "a/* b *//* c */ .d {}", "a/* b */ .d{}"),
    Case("§4.3.2 a comment at the end of the file", "a {} /* b */", "a{}"),
    Case("§4.3.2 `/*/` does not close a comment", "/*/ a */ b {}", "b{}"),
    Case("§4.3.2 U+2028 does not end a line", "a /* \u{2028} */ b {}", "a b{}"),
    Case("§4.3.2 two slashes do not begin a comment", "a { b: // /* c */\n }", "a{b://\n}"),
    Case("§4.3.2 an unclosed comment", "a {} /* b", nil),
    Case("§4.3.2 a file that ends with `/*/`", "a {} /*/", nil),
    Case("§4.3.5 strings", #"a { b: "/*" '\'/*' "\\" /* c */ }"#, #"a{b:"/*" '\'/*' "\\" }"#),
    Case("§4.3.5 a string over two lines", "a { b: '\\\n/*' /* c */ }", "a{b:'\\\n/*' }"),
    Case("§4.3.5 an unclosed string", "a { b: 'c /* d */\n }", nil),
    Case("§4.3.6 a URL", "a { b: url(data:,/*) /* c */ }", "a{b:url(data:,/*) }"),
    Case(
      "§4.3.6 a URL with `URL` in capital letters", "a { b: URL( //c/*\\)/*) /* d */ }",
      "a{b:URL( //c/*\\)/*) }"),
    Case("§4.3.6 a URL in quotes", "a { b: url( '/*)' /* c */ ) }", "a{b:url( '/*)' )}"),
    Case("§4.3.6 a function whose name ends with `url`", "a { b: my-url( /* c */ d) }", "a{b:my-url( d)}"),
    Case("§4.3.6 an unclosed URL", "a { /* b */ c: url(d }", nil),
    Case("§4.3.7 an escape", ".a\\:b /* c */ {}", ".a\\:b {}"),
    Case("§4.3.7 an escape that a space may belong to", ".\\31 /* a */\n.b {}", nil),
    Case("§4.3.7 an escape in a function's name", "a { /* b */ c: u\\rl(/*) }", nil),
    Case("§4.3.7 a backslash at the end of the file", "/* a */ b\\", nil),
    Case("licence comments", "/*! (c) */ a {} /* @license MIT */", "/*! (c) */ a{}/* @license MIT */"),
    Case("blanks at the beginning and end of a line", " a \n\t{\n\t } ", "a\n{\n}"),
    Case(
      "blanks beside punctuation that separates tokens", "a , b { c : d e ; --f: ; }", "a,b{c :d e;--f:;}"),
    Case("§17 blanks that are combinators of selectors", "a :hover + [b] > .c {}", "a :hover + [b] > .c{}"),
    Case("§4.3.5 blanks in a string", "a { b: ' ; { ' }", "a{b:' ; { '}"),
    Case("nothing", "", ""),
  ]

  @Test(
    "Minifying keeps the meaning and the line breaks of a style sheet; a style sheet that cannot be parsed safely stays unchanged",
    arguments: cases)
  func result(_ test: Case) {
    let result = StyleMinifier.minified(Array(test.source.utf8))
    #expect(result.map { String(decoding: $0, as: UTF8.self) } == test.result)
  }

  @Test("A style sheet that is truncated at any byte causes no trap, and keeps its line breaks")
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
      let result = try #require(StyleMinifier.minified(source), "\(path) is served without being minified")
      #expect(result.filter(\.isLineBreak) == source.filter(\.isLineBreak), "\(path)")
      #expect(!String(decoding: result, as: UTF8.self).contains("/*"), "\(path)")
    }
  }
}
