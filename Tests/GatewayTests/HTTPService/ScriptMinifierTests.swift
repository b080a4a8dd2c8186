import FoundationEssentials
import Testing

@testable import Gateway

/// Scripts without comments and blanks (ECMA-262 §12).
@Suite("Minified scripts")
struct ScriptMinifierTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    /// The minified script; nil if the script must be served unchanged.
    let result: String?

    init(_ rule: String, _ source: String, _ result: String?) {
      (self.rule, self.source, self.result) = (rule, source, result)
    }

    var testDescription: String { "\(rule): \(source)" }
  }

  static let cases: [Case] = [
    Case("§12.4 a line's end", "a; // one\nb;", "a;\nb;"),
    Case("§12.4 a whole line", "a;\n  // one\n  b;", "a;\n\nb;"),
    Case("§12.4 the last line", "a; //", "a;"),
    Case("§12.4 CR and LF", "a; // one\r\n/* two\r\n three */\r\nb;", "a;\r\n\r\n\r\nb;"),
    Case("§12.4 CR alone", "a // one\rb", "a\rb"),
    Case("§12.4 a block keeps its lines", "/**\n * One.\n */\nlet a;", "\n\n\nlet a;"),
    Case("§12.4 a block with a line break is one", "return /*\n*/ a", "return\na"),
    Case("§12.4 a block without one is a space", "return/**/a -/**/-b", "return a- -b"),
    Case("§12.4 beside a space it is nothing", "f(/** @type {A} */ (a))", "f((a))"),
    Case("§12.4 blocks do not nest", "/* /* */ a /* // */ b", "a b"),
    Case("§12.4 a block in a line comment", "a // /*\nb // */\nc", "a\nb\nc"),
    Case("§12.4 a block that looks closed", "/*/ a */ b", "b"),
    Case("§12.3 U+2028 ends a comment's line", "a // one\u{2028}b", nil),
    Case("§12.3 U+2029 in a block", "a /* \u{2029} */ b", nil),
    Case("§12.4 an unclosed block", "a /* b", nil),
    Case("§12.4 a block that is only begun", "a /*/", nil),

    Case("§12.9.4 strings", #"a('//', "/*", '\'//', "\\") // b"#, #"a('//',"/*",'\'//',"\\")"#),
    Case("§12.9.4 a string over two lines", "a('\\\n//', \"\\\r\n/*\") // b", "a('\\\n//',\"\\\r\n/*\")"),
    Case("§12.9.4 U+2028 in a string", "a('\u{2028}//') // b", "a('\u{2028}//')"),
    Case("§12.9.4 an unclosed string", "a('b // c\n')", nil),
    Case("§12.9.4 a string to the end", "a // b\n'", nil),
    Case("§12.9.4 a backslash at the end", "a // b\n'\\", nil),

    Case("§12.9.6 a template", "`//\n/* */ \\` //` // a", "`//\n/* */ \\` //`"),
    Case("§12.9.6 one within another", "`${'/*'}//${`${a /* b */}//`}` // c", "`${'/*'}//${`${a}//`}`"),
    Case("§12.9.6 braces in it", "`${{ a: { b } }}//` // c", "`${{a:{b}}}//`"),
    Case("§12.9.6 a dollar, and one with a backslash", "`$ $${a}//\\${//` // b", "`$ $${a}//\\${//`"),
    Case("§12.9.6 an unclosed template", "`// a\n", nil),
    Case("§12.9.6 an unclosed substitution", "`${a // b\n`", nil),

    Case("§12.9.5 a class", "a = /[/*]/ // b", "a=/[/*]/"),
    Case("§12.9.5 a backslash", #"a = /\/*\[/ // b"#, #"a=/\/*\[/"#),
    Case("§12.9.5 a bracket in a class", #"a = /[[\]/*]['"`]/g // b"#, #"a=/[[\]/*]['"`]/g"#),
    Case("§12.9.5 quotes", "f(/'/, /\"/, /`/) // b", "f(/'/,/\"/,/`/)"),
    Case("§12.9.5 behind a keyword", "return /'/ // b", "return/'/"),
    Case("§12.9.5 behind a keyword and a comment", "case/**/ /'/: // b", "case/'/:"),
    Case("§12.9.5 behind the head of a statement", "if (a) /'/.test(b) // c", "if(a)/'/.test(b)"),
    Case("§12.9.5 behind for await", "for await (a) /'/.test(b) // c", "for await(a)/'/.test(b)"),
    Case("§12.9.5 spread", "[.../'/.exec(a)] // b", "[.../'/.exec(a)]"),
    Case("§12.9.5 the file's beginning", "/'/ // b", "/'/"),
    Case("§12.9.5 division after it", "/a/g / b / '//' // c", "/a/g/b/'//'"),
    Case("§12.9.5 an unclosed one", "a = /b\n// c", nil),

    Case("§13.7 division", "a / b / c // d", "a/b/c"),
    Case("§13.7 behind a parenthesis", "(a) / '//' / f(b) / 2 // c", "(a)/'//'/f(b)/2"),
    Case("§13.7 behind a bracket", "a[0] / '//' // c", "a[0]/'//'"),
    Case("§13.7 behind a literal", "1 / '//' / `a` / 'a' / 2 // c", "1/'//'/`a`/'a'/2"),
    Case(
      "§13.7 after a number with a decimal point", "1. / '//' / 1.5 / .5 / 0. / 1. // c",
      "1./'//'/1.5/.5/0./1."),
    Case(
      "§13.7 after other numbers", "0x1F / '//' / 1n / 1e+5 / 1_0.5 // c", "0x1F/'//'/1n/1e+5/1_0.5"),
    Case(
      "§13.7 a name that is spelled like a keyword", "a.return / '//' / b?.if(c) / 2 // d",
      "a.return/'//'/b?.if(c)/2"),
    Case("§13.7 a private name", "this.#in / '//' / #if in a // b", "this.#in/'//'/#if in a"),
    Case(
      "§13.7 a name that begins like a keyword", "returned / '//' / $if(a) / 2 // b",
      "returned/'//'/$if(a)/2"),
    Case("§13.15 division and assignment", "a /= 2 // b", "a/=2"),

    Case("either behind a brace", "a = {} / 2 // b", nil),
    Case("either behind ++", "a++ / 2 // b", nil),
    Case("either behind a word of context", "of / 2 // b", nil),
    Case("§12.5 a hashbang", "#!/bin/a '\na // b", nil),
    Case("§B.1.1 comments of HTML", "a <!-- '\n// b", nil),
    Case("§B.1.1 their end", "a // b\n--> '", nil),
    Case("§12.7 a name that is not ASCII", "größe // b", nil),
    Case("§12.7 an escape in a name", "\\u0061 // b", nil),
    Case("a parenthesis too many", "a) // b", nil),
    Case("a brace for a bracket", "[a} // b", nil),
    Case("a brace that stays open", "{ a // b", nil),
    Case("a stray character", "a @ b // c", nil),

    Case("a licence", "/*! (c) */ a //! b", "/*! (c) */a//! b"),
    Case(
      "a licence by its word", "/** @license MIT */ a // @preserve b", "/** @license MIT */a// @preserve b"),
    Case("a source map", "a // b\n//# sourceMappingURL=a.js.map", "a\n//# sourceMappingURL=a.js.map"),

    Case("a blank at a line's edge", " a \n\t\n\t b ", "a\n\nb"),
    Case("blanks beside signs that part", "f ( { a : [ 1 , 2 ] } ) ;", "f({a:[1,2]});"),
    Case("blanks between words", "const a  =  async ( b ) => c of  d", "const a=async(b)=>c of  d"),
    Case("blanks between signs", "a + +b - -c < !d / e", "a+ +b- -c< !d/e"),
    Case("§12.8 a number's point behind ?", "a ? .5 : b ?. c", "a? .5:b?. c"),
    Case("§12.9.4 blanks in a string", "a = ' ( ' + \" : \"", "a=' ( '+\" : \""),
    Case("§12.9.6 blanks in a template", "` ( ${ a } ; `", "` ( ${a} ; `"),
    Case("§12.9.5 blanks in a regular expression", "a = / ( /", "a=/ ( /"),
    Case("blanks beside a comment", "a /* b */ /* c */ d ( /* e */ )", "a d()"),
    Case("nothing", "", ""),
    Case("nothing but a comment", "// a", ""),
  ]

  @Test(
    "The meaning and the lines of a program stay the same; files with an unclear meaning stay unchanged",
    arguments: cases)
  func result(_ test: Case) {
    let result = ScriptMinifier.minified(Array(test.source.utf8))
    #expect(result.map { String(decoding: $0, as: UTF8.self) } == test.result)
  }

  @Test("Minifying a minified script changes nothing")
  func again() {
    for test in Self.cases {
      guard let result = test.result else { continue }
      #expect(ScriptMinifier.minified(Array(result.utf8)) == Array(result.utf8), "\(test)")
    }
  }

  @Test("A file that is truncated at any byte causes no trap, and keeps its lines")
  func cuts() throws {
    for test in Self.cases {
      let source = Array(test.source.utf8)
      for count in 0...source.count {
        let part = Array(source[..<count])
        guard let result = ScriptMinifier.minified(part) else { continue }
        #expect(result.filter(\.isLineBreak) == part.filter(\.isLineBreak), "\(test), \(count) bytes")
      }
    }
  }

  @Test("Each script of the page is minified")
  func page() throws {
    let files = try PublicFolder.files(endingWith: ".js")
    #expect(files.count > 50)
    for (path, source) in files {
      let result = try #require(ScriptMinifier.minified(source), "\(path) is served as it is")
      #expect(result.filter(\.isLineBreak) == source.filter(\.isLineBreak), "\(path)")
      #expect(!String(decoding: result, as: UTF8.self).contains("/**"), "\(path)")
    }
  }
}
