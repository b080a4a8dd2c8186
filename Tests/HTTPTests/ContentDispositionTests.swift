import HTTP
import Testing
import TestSupport

@Suite("File names, RFC 6266 and RFC 8187")
struct ContentDispositionTests {
  struct Read: Sendable, CustomTestStringConvertible {
    let rule: String
    let field: String
    var name: String?

    var testDescription: String { "\(rule): \(field)" }
  }

  static let fields = [
    Read(rule: "RFC 6266 §4.1 a token", field: "attachment; filename=a.png", name: "a.png"),
    Read(rule: "RFC 6266 §5", field: "Attachment; filename=example.html", name: "example.html"),
    Read(rule: "RFC 6266 §5", field: "INLINE; FILENAME= \"an example.html\"", name: "an example.html"),
    Read(
      rule: "RFC 6266 §5", field: "attachment; filename*= UTF-8''%e2%82%ac%20rates", name: "\u{20AC} rates"),
    Read(
      rule: "RFC 6266 §5 filename* is preferred to filename",
      field: "attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", name: "\u{20AC} rates"
    ),
    Read(
      rule: "RFC 6266 §4.3 filename* before filename",
      field: "attachment; filename*=UTF-8''%C3%A9; filename=e", name: "é"),
    Read(
      rule: "RFC 6266 §4.2 another disposition type", field: "form-data; name=\"f\"; filename=\"a\"",
      name: "a"),
    Read(rule: "RFC 2616 §2.1 blanks between the parts", field: "attachment\t;filename \t= a ", name: "a"),
    Read(rule: "RFC 9110 §5.6.6 empty parameters", field: "attachment;; filename=a;", name: "a"),
    Read(
      rule: "RFC 9110 §5.6.4 escaped characters in a quoted string",
      field: #"attachment; filename="a\"b\\c\d""#, name: #"a"b\cd"#),
    Read(
      rule: "RFC 9110 §5.6.4 a semicolon in a quoted string", field: "attachment; filename=\"a; filename=b\"",
      name: "a; filename=b"),
    Read(
      rule: "UTF-8 bytes in filename", field: "attachment; filename=\"gr\u{C3}\u{B6}\u{C3}\u{9F}e\"",
      name: "größe"),
    Read(rule: "Latin-1 bytes in filename", field: "attachment; filename=\"gr\u{F6}\u{DF}e\"", name: "größe"),
    Read(rule: "separators in the name are kept", field: "attachment; filename=\"../a/b\"", name: "../a/b"),
    Read(
      rule: "RFC 8187 §3.2.1 a language", field: "attachment; filename*=UTF-8'en-GB'%C2%A3", name: "\u{A3}"),
    Read(
      rule: "RFC 8187 §3.2.1 control characters are kept",
      field: "attachment; filename*=UTF-8''a%0D%0Ab%00", name: "a\r\nb\u{0}"),
    Read(
      rule: "RFC 8187 §3.2.1 another charset is ignored",
      field: "attachment; filename*=iso-8859-1''%A3; filename=pound", name: "pound"),
    Read(
      rule: "RFC 8187 §3.2.1 not UTF-8", field: "attachment; filename*=UTF-8''%A3; filename=pound",
      name: "pound"),
    Read(
      rule: "RFC 8187 §3.2.1 an incomplete percent-encoding",
      field: "attachment; filename*=UTF-8''%A; filename=a", name: "a"),
    Read(
      rule: "RFC 8187 §3.2.1 a percent-encoding without hex digits",
      field: "attachment; filename*=UTF-8''%GG; filename=a", name: "a"),
    Read(
      rule: "RFC 8187 §3.2.1 a character that is not an attr-char",
      field: "attachment; filename*=UTF-8''a*b; filename=a", name: "a"),
    Read(rule: "RFC 8187 §3.2.1 no charset", field: "attachment; filename*=%C3%A9; filename=a", name: "a"),
    Read(
      rule: "RFC 8187 §3.2.1 an invalid language",
      field: "attachment; filename*=UTF-8'e_n'a; filename=b", name: "b"),
    Read(rule: "an invalid filename* without filename", field: "attachment; filename*=UTF-8''%A3"),
    Read(rule: "no file name", field: "attachment"),
    Read(rule: "no file name", field: "attachment; name=a"),
    Read(rule: "an empty file name", field: "attachment; filename=\"\""),
    Read(rule: "an empty file name", field: "attachment; filename*=UTF-8''"),
    Read(rule: "RFC 6266 §4.1 an empty field", field: ""),
    Read(rule: "RFC 6266 §4.1 no type", field: "filename=a"),
    Read(rule: "RFC 6266 §4.1 no type", field: "; filename=a"),
    Read(rule: "RFC 6266 §4.1 two types", field: "attachment, inline; filename=a"),
    Read(rule: "RFC 6266 §4.1 not a token", field: "attachment; filename=a b"),
    Read(rule: "RFC 6266 §4.1 not a token", field: "attachment; filename=a/b"),
    Read(rule: "RFC 6266 §4.1 not a token", field: "attachment; filename=\u{E9}"),
    Read(rule: "RFC 6266 §4.1 no value", field: "attachment; filename="),
    Read(rule: "RFC 6266 §4.1 no value", field: "attachment; filename"),
    Read(rule: "RFC 6266 §4.1 filename is repeated", field: "attachment; filename=a; filename=b"),
    Read(rule: "RFC 9110 §5.6.4 an unclosed quoted string", field: "attachment; filename=\"a"),
    Read(rule: "RFC 9110 §5.6.4 an unclosed quoted string", field: "attachment; filename=\"a\\\""),
    Read(rule: "RFC 9110 §5.6.4 text after the quotes", field: "attachment; filename=\"a\"b"),
    Read(rule: "RFC 9110 §5.5 a control character", field: "attachment; filename=\"a\u{0}b\""),
    Read(
      rule: "32 parameters", field: "attachment" + (1...31).map { "; p\($0)=v" }.joined() + "; filename=a",
      name: "a"),
    Read(
      rule: "33 parameters",
      field: "attachment" + (1...32).map { "; p\($0)=v" }.joined() + "; filename=a"),
    Read(rule: "a character outside Latin-1", field: "attachment; filename=\"\u{20AC}\""),
  ]

  @Test("the file name in a Content-Disposition field is parsed", arguments: fields)
  func reads(_ read: Read) {
    #expect(ContentDisposition.fileName(read.field) == read.name)
  }

  @Test(
    "a file name is written as the expected Content-Disposition field",
    arguments: [
      ("a.png", "filename=\"a.png\""),
      ("an example.html", "filename=\"an example.html\""),
      ("", "filename=\"\""),
      ("größe", "filename=\"gr__e\"; filename*=UTF-8''gr%C3%B6%C3%9Fe"),
      ("\u{20AC} rates", "filename=\"_ rates\"; filename*=UTF-8''%E2%82%AC%20rates"),
      ("100%41", "filename=\"100_41\"; filename*=UTF-8''100%2541"),
      (#"a"; x="\"#, #"filename="a_; x=__"; filename*=UTF-8''a%22%3B%20x%3D%22%5C"#),
      ("a\r\nSet-Cookie: x", "filename=\"a__Set-Cookie: x\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x"),
      ("\u{0}\u{7F}", "filename=\"__\"; filename*=UTF-8''%00%7F"),
      ("e\u{301}", "filename=\"e_\"; filename*=UTF-8''e%CC%81"),
      (
        "!#$&+-.^_`|~*'()'é",
        "filename=\"!#$&+-.^_`|~*'()'_\"; filename*=UTF-8''!#$&+-.^_`|~%2A%27%28%29%27%C3%A9"
      ),
    ])
  func writes(name: String, parameters: String) {
    #expect(ContentDisposition.attachment(fileName: name) == "attachment; " + parameters)
    #expect(ContentDisposition.inline(fileName: name) == "inline; " + parameters)
  }

  private static let parts = [
    "attachment", "; ", "filename=", "filename*=", "UTF-8''", "\"", "\\", "%C3%B6", "%", "=", "'", "a", "ö",
    "\u{20AC}", "\r\n", "\u{0}", "\t", ",", "\u{C3}\u{B6}",
  ]

  @Test(
    "any file name is the same after it is written to a Content-Disposition field and parsed again",
    arguments: UInt64(1)...40)
  func mutations(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0...8, using: &numbers)
      let text = (0..<count).map { _ in Self.parts.randomElement(using: &numbers) ?? "" }.joined()
      let whole = Bool.random(using: &numbers) ? "attachment; filename" + text : text
      for name in [ContentDisposition.fileName(whole), text] {
        guard let name, !name.isEmpty else { continue }
        let field = ContentDisposition.attachment(fileName: name)
        #expect(field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(field.debugDescription)")
        let again = ContentDisposition.fileName(field)
        #expect(
          again.map { Array($0.utf8) } == Array(name.utf8),
          "\(name.debugDescription) became \(again ?? "nothing")")
      }
    }
  }
}
