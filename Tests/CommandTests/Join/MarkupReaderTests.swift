import Testing

@testable import drawtogether

/// What a drawing's XML is read as, and in which words it is refused.
@Suite("Markup")
struct MarkupReaderTests {
  private func read(_ text: String) throws(MarkupError) -> MarkupElement {
    try MarkupReader.read(Array(text.utf8))
  }

  @Test(
    "Elements, attributes in either quotes, characters, CDATA and comments are read; prefixes are left out")
  func reads() throws {
    let root = try read(
      """
      \u{FEFF}<?xml version="1.0"?>
      <!-- a > b -->
      <svg:svg xmlns:svg='http://www.w3.org/2000/svg' width="1">
        <svg:g id="a&amp;b" xlink:href='#x'><svg:path d="M0 0"/></svg:g>
        <t>1 &lt; 2 &#65;&#x42;<![CDATA[ <&> ]]></t>
      </svg:svg >

      """)
    #expect(root.name == "svg")
    #expect(root.line == 3)
    #expect(root["width"] == "1")
    #expect(root.children.map(\.name) == ["g", "t"])
    #expect(root.children[0]["id"] == "a&b")
    #expect(root.children[0]["href"] == "#x")
    #expect(root.children[0].children[0]["d"] == "M0 0")
    #expect(root.children[0].line == 4)
    #expect(root.children[1].text == "1 < 2 AB <&> ")
  }

  @Test("Entities that the file declares for text stand for it; what is in another file is never read")
  func entities() throws {
    let kind =
      "<!DOCTYPE svg [<!ENTITY a 'x&b;'>\n<!ENTITY b \"y\"> <!ENTITY c SYSTEM 'file:///etc/passwd'>]>\n"
    #expect(try read(kind + "<svg id='&a;'>&b;</svg>")["id"] == "xy")
    let outside = #expect(throws: MarkupError.self) { try read(kind + "<svg>&c;</svg>") }
    #expect(outside == .outsideEntity("c", line: 3))
    #expect(outside?.description == "line 3: &c; stands for what is in another file, and none is read")
  }

  @Test("Entities of entities end at a limit")
  func entitiesOfEntities() {
    var kind = "<!DOCTYPE svg [<!ENTITY e0 '\(String(repeating: "x", count: 1000))'>"
    for level in 1...7 { kind += "<!ENTITY e\(level) '\(String(repeating: "&e\(level - 1);", count: 10))'>" }
    #expect(throws: MarkupError.tooMuchInEntities(limit: 1_048_576, line: 1)) {
      try read(kind + "]><svg>&e7;</svg>")
    }
    let itself = "<!DOCTYPE svg [<!ENTITY e '&e;'>]><svg>&e;</svg>"
    #expect(throws: MarkupError.tooMuchInEntities(limit: 1_048_576, line: 1)) { try read(itself) }
  }

  @Test(
    "What is no XML is refused with its line",
    arguments: [
      ("", "there is nothing in it"),
      ("hello", "line 1: \"hello\" stands where a tag should"),
      ("<svg>\n<g>\n</svg>", "line 3: </svg> ends nothing: <g> of line 2 is open"),
      ("<svg>\n<g>\n</g>", "line 1: the file ends within <svg>"),
      ("<svg\nwidth>", "line 2: \">\" stands where = behind width should"),
      ("<svg width=1>", "line 1: \"1>\" stands where the value of width in quotes should"),
      ("<svg a='1' a='2'/>", "line 1: the attribute a is there twice"),
      ("<svg a='1'b='2'/>", "line 1: \"b='2'/>\" stands where a space, or the end of <svg> should"),
      ("<svg>&nbsp;</svg>", "line 1: &nbsp; has no meaning"),
      ("<svg>&#0;</svg>", "line 1: &#0; is no character"),
      ("<svg\na='&#27;[2J'/>", "line 2: &#27; is no character"),
      ("<svg>&#xFFFE;</svg>", "line 1: &#xFFFE; is no character"),
      ("<svg>\n\u{1B}[2J</svg>", "line 2: &#27; is no character"),
      ("<svg>a & b</svg>", "line 1: \"& b\" stands where &amp; or an entity should"),
      ("<svg/>\n<svg/>", "line 2: a second element stands where the end should"),
      ("<svg><!-- \n", "line 1: the file ends within a comment"),
      ("<svg><1/></svg>", "line 1: \"1/></svg>\" stands where an element's name should"),
    ])
  func refuses(_ text: String, _ words: String) {
    let error = #expect(throws: MarkupError.self) { try read(text) }
    #expect(error?.description == words)
  }

  @Test("Depth, size, coding and compression have words of their own")
  func limits() {
    let deep = String(repeating: "<g>", count: 300)
    #expect(throws: MarkupError.tooDeep(limit: 256, line: 1)) { try read(deep) }
    #expect(throws: MarkupError.notUTF8) { try MarkupReader.read([0x3C, 0xE9, 0x3E]) }
    #expect(throws: MarkupError.compressed) { try MarkupReader.read([0x1F, 0x8B, 0x08]) }
    #expect(throws: MarkupError.tooLarge(limit: 16_777_216, actual: 16_777_217)) {
      try MarkupReader.read([UInt8](repeating: 0x20, count: 16_777_217))
    }
  }

  @Test("Every beginning of a file is read or refused, and never traps")
  func cuts() throws {
    let whole = Array(
      "<?x?><!DOCTYPE s [<!ENTITY a 'b'>]><s a='&a;'><!--c--><![CDATA[d]]><t/>e&#65;</s>".utf8)
    _ = try MarkupReader.read(whole)
    for count in 0..<whole.count {
      #expect(throws: MarkupError.self, "\(count) bytes") { try MarkupReader.read(Array(whole[..<count])) }
    }
  }
}
