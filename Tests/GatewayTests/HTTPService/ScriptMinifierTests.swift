import FoundationEssentials
import Testing

@testable import Gateway

/// The removal of comments and white space from scripts (ECMA-262 §12).
@Suite("ScriptMinifier shortens scripts without a change of their meaning")
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
    Case("§12.4 a line comment after code", "a; // one\nb;", "a;\nb;"),
    Case("§12.4 a line with only a comment", "a;\n  // one\n  b;", "a;\n\nb;"),
    Case("§12.4 a line comment in the last line", "a; //", "a;"),
    Case("§12.4 CR and LF", "a; // one\r\n/* two\r\n three */\r\nb;", "a;\r\n\r\n\r\nb;"),
    Case("§12.4 CR alone", "a // one\rb", "a\rb"),
    Case("§12.4 a block comment keeps its line breaks", "/**\n * One.\n */\nlet a;", "\n\n\nlet a;"),
    Case("§12.4 a block comment with a line break is a line break", "return /*\n*/ a", "return\na"),
    Case("§12.4 a block comment without a line break is a space", "return/**/a -/**/-b", "return a- -b"),
    Case("§12.4 a block comment beside a space is removed", "f(/** @type {A} */ (a))", "f((a))"),
    Case("§12.4 block comments do not nest", "/* /* */ a /* // */ b", "a b"),
    Case("§12.4 the beginning of a block comment in a line comment", "a // /*\nb // */\nc", "a\nb\nc"),
    Case("§12.4 `/*/` does not close a block comment", "/*/ a */ b", "b"),
    Case("§12.3 U+2028 ends a line comment", "a // one\u{2028}b", nil),
    Case("§12.3 U+2029 in a block comment", "a /* \u{2029} */ b", nil),
    Case("§12.4 an unclosed block comment", "a /* b", nil),
    Case("§12.4 a file that ends with `/*/`", "a /*/", nil),

    Case("§12.9.4 strings", #"a('//', "/*", '\'//', "\\") // b"#, #"a('//',"/*",'\'//',"\\")"#),
    Case("§12.9.4 a string over two lines", "a('\\\n//', \"\\\r\n/*\") // b", "a('\\\n//',\"\\\r\n/*\")"),
    Case("§12.9.4 U+2028 in a string", "a('\u{2028}//') // b", "a('\u{2028}//')"),
    Case("§12.9.4 an unclosed string", "a('b // c\n')", nil),
    Case("§12.9.4 a quote at the end of the file", "a // b\n'", nil),
    Case("§12.9.4 a backslash at the end of the file", "a // b\n'\\", nil),

    Case("§12.9.6 a template", "`//\n/* */ \\` //` // a", "`//\n/* */ \\` //`"),
    Case(
      "§12.9.6 a template within another", "`${'/*'}//${`${a /* b */}//`}` // c", "`${'/*'}//${`${a}//`}`"),
    Case("§12.9.6 braces in a template", "`${{ a: { b } }}//` // c", "`${{a:{b}}}//`"),
    Case("§12.9.6 a dollar sign, plain and escaped", "`$ $${a}//\\${//` // b", "`$ $${a}//\\${//`"),
    Case("§12.9.6 an unclosed template", "`// a\n", nil),
    Case("§12.9.6 an unclosed substitution", "`${a // b\n`", nil),

    Case("§12.9.5 a character class", "a = /[/*]/ // b", "a=/[/*]/"),
    Case("§12.9.5 escaped characters", #"a = /\/*\[/ // b"#, #"a=/\/*\[/"#),
    Case("§12.9.5 a bracket in a character class", #"a = /[[\]/*]['"`]/g // b"#, #"a=/[[\]/*]['"`]/g"#),
    Case("§12.9.5 quotes", "f(/'/, /\"/, /`/) // b", "f(/'/,/\"/,/`/)"),
    Case("§12.9.5 a regular expression after a keyword", "return /'/ // b", "return/'/"),
    Case("§12.9.5 a regular expression after a keyword and a comment", "case/**/ /'/: // b", "case/'/:"),
    Case(
      "§12.9.5 a regular expression after the head of a statement", "if (a) /'/.test(b) // c",
      "if(a)/'/.test(b)"),
    Case(
      "§12.9.5 a regular expression after `for await`", "for await (a) /'/.test(b) // c",
      "for await(a)/'/.test(b)"),
    Case("§12.9.5 a regular expression after `...`", "[.../'/.exec(a)] // b", "[.../'/.exec(a)]"),
    Case("§12.9.5 a regular expression at the beginning of the file", "/'/ // b", "/'/"),
    Case("§12.9.5 division after a regular expression", "/a/g / b / '//' // c", "/a/g/b/'//'"),
    Case("§12.9.5 an unclosed regular expression", "a = /b\n// c", nil),

    Case("§13.7 division", "a / b / c // d", "a/b/c"),
    Case("§13.7 division after a parenthesis", "(a) / '//' / f(b) / 2 // c", "(a)/'//'/f(b)/2"),
    Case("§13.7 division after a bracket", "a[0] / '//' // c", "a[0]/'//'"),
    Case("§13.7 division after a literal", "1 / '//' / `a` / 'a' / 2 // c", "1/'//'/`a`/'a'/2"),
    Case(
      "§13.7 division after a number with a decimal point", "1. / '//' / 1.5 / .5 / 0. / 1. // c",
      "1./'//'/1.5/.5/0./1."),
    Case(
      "§13.7 division after other numbers", "0x1F / '//' / 1n / 1e+5 / 1_0.5 // c", "0x1F/'//'/1n/1e+5/1_0.5"),
    Case(
      "§13.7 division after a property that is spelled like a keyword", "a.return / '//' / b?.if(c) / 2 // d",
      "a.return/'//'/b?.if(c)/2"),
    Case("§13.7 division after a private name", "this.#in / '//' / #if in a // b", "this.#in/'//'/#if in a"),
    Case(
      "§13.7 division after a name that begins like a keyword", "returned / '//' / $if(a) / 2 // b",
      "returned/'//'/$if(a)/2"),
    Case("§13.15 division and assignment", "a /= 2 // b", "a/=2"),

    Case("after a brace, `/` is division or a regular expression", "a = {} / 2 // b", nil),
    Case("after `++`, `/` is division or a regular expression", "a++ / 2 // b", nil),
    Case("after a contextual keyword, `/` is division or a regular expression", "of / 2 // b", nil),
    Case("§12.5 a hashbang", "#!/bin/a '\na // b", nil),
    Case("§B.1.1 the beginning of an HTML comment", "a <!-- '\n// b", nil),
    Case("§B.1.1 the end of an HTML comment", "a // b\n--> '", nil),
    Case("§12.7 a name that is not ASCII", "größe // b", nil),
    Case("§12.7 an escape in a name", "\\u0061 // b", nil),
    Case("a closing parenthesis too many", "a) // b", nil),
    Case("a bracket that is closed by a brace", "[a} // b", nil),
    Case("a brace that is not closed", "{ a // b", nil),
    Case("a stray character", "a @ b // c", nil),

    Case("a licence comment, marked by `!`", "/*! (c) */ a //! b", "/*! (c) */a//! b"),
    Case(
      "a licence comment, marked by `@license` or `@preserve`", "/** @license MIT */ a // @preserve b",
      "/** @license MIT */a// @preserve b"),
    Case("a source map", "a // b\n//# sourceMappingURL=a.js.map", "a\n//# sourceMappingURL=a.js.map"),

    Case("blanks at the beginning and end of a line", " a \n\t\n\t b ", "a\n\nb"),
    Case("blanks beside punctuation that separates tokens", "f ( { a : [ 1 , 2 ] } ) ;", "f({a:[1,2]});"),
    Case("blanks between words", "const a  =  async ( b ) => c of  d", "const a=async(b)=>c of  d"),
    Case("blanks between operators that would combine", "a + +b - -c < !d / e", "a+ +b- -c< !d/e"),
    Case("§12.8 a decimal point after `?`", "a ? .5 : b ?. c", "a? .5:b?. c"),
    Case("§12.9.4 blanks in a string", "a = ' ( ' + \" : \"", "a=' ( '+\" : \""),
    Case("§12.9.6 blanks in a template", "` ( ${ a } ; `", "` ( ${a} ; `"),
    Case("§12.9.5 blanks in a regular expression", "a = / ( /", "a=/ ( /"),
    Case("blanks beside a comment", "a /* b */ /* c */ d ( /* e */ )", "a d()"),
    Case("an empty file", "", ""),
    Case("a file with only a comment", "// a", ""),
  ]

  @Test(
    "Minifying keeps the meaning and the line breaks of a script; a script that cannot be parsed safely stays unchanged",
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

  @Test("A script that is truncated at any byte causes no trap, and keeps its line breaks")
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
      let result = try #require(ScriptMinifier.minified(source), "\(path) is served without being minified")
      #expect(result.filter(\.isLineBreak) == source.filter(\.isLineBreak), "\(path)")
      #expect(!String(decoding: result, as: UTF8.self).contains("/**"), "\(path)")
    }
  }
}
