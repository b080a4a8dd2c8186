import FoundationEssentials
import Testing
import Wire

/// PROTOCOL 4: attachments on the wire, compared with literal JSON.
@Suite("PROTOCOL 4: attachments")
struct AttachmentTests {
  static let id = EntryKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF).uuid

  /// An attachment, and its JSON text.
  struct Example: Sendable, CustomTestStringConvertible {
    let object: AttachmentObject
    let text: String

    var testDescription: String { text }
  }

  private static func parsed(_ text: String) -> AttachmentMetadata? {
    do {
      return try AttachmentMetadata.parse(bytes(text).span, limit: 4_096)
    } catch {
      return nil
    }
  }

  static let examples = [
    Example(
      object: AttachmentObject(
        id: id, name: #"a "b".png"#, contentType: "image/png", size: nil, sha256: nil, metadata: nil,
        participant: nil, state: .uploading, offset: 0, createdAt: Date(timeIntervalSince1970: 0.9),
        url: "/api/sessions/s/attachments/x"),
      text: #"{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","name":"a \"b\".png","contentType":"image/png","#
        + #""size":null,"sha256":null,"metadata":null,"participant":null,"state":"uploading","offset":0,"#
        + #""createdAt":"1970-01-01T00:00:00Z","url":"/api/sessions/s/attachments/x"}"#),
    Example(
      object: AttachmentObject(
        id: id, name: "ü", contentType: "application/pdf", size: 104_857_600,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        metadata: parsed(#"{"location":[1,-2.5],"width":3}"#), participant: 4, state: .ready,
        offset: 104_857_600, createdAt: Date(timeIntervalSince1970: 1_000_000_000), url: "/u"),
      text: #"{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","name":"ü","contentType":"application/pdf","#
        + #""size":104857600,"#
        + #""sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","#
        + #""metadata":{"location":[1,-2.5],"width":3},"participant":4,"state":"ready","#
        + #""offset":104857600,"createdAt":"2001-09-09T01:46:40Z","url":"/u"}"#),
  ]

  @Test(
    "an attachment is written as JSON with all members, `null` for unknown ones, and is unchanged after parsing",
    arguments: examples)
  func object(_ example: Example) throws {
    #expect(text(example.object.encoded()) == example.text)
    var expected = example.object
    expected.createdAt = Date(timeIntervalSince1970: expected.createdAt.timeIntervalSince1970.rounded(.down))
    let read = try AttachmentObject.decode(bytes(example.text).span)
    #expect(read == expected)
  }

  @Test("the list of attachments, and the types of their entries, are as the protocol defines them")
  func list() throws {
    #expect(text(WireJSON.encode(AttachmentList([]))) == #"{"attachments":[]}"#)
    let list = AttachmentList(Self.examples.map(\.object))
    #expect(
      text(WireJSON.encode(list))
        == #"{"attachments":[\#(Self.examples[0].text),\#(Self.examples[1].text)]}"#)
    #expect(AttachmentObject.type == "attachment")
    #expect(AttachmentProgressPayload.type == "attachmentProgress")
  }

  @Test(
    "PROTOCOL 3.3: the progress of an upload is written as the expected JSON, and is unchanged after parsing")
  func progress() throws {
    let known = AttachmentProgressPayload(id: Self.id, offset: 5, size: 10)
    #expect(
      text(known.encoded()) == #"{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","offset":5,"size":10}"#)
    let unknown = AttachmentProgressPayload(id: Self.id, offset: 0, size: nil)
    let unknownText = #"{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","offset":0,"size":null}"#
    #expect(text(unknown.encoded()) == unknownText)
    let read = try AttachmentProgressPayload.decode(bytes(unknownText).span)
    #expect(read == unknown)
  }

  @Test(
    "any JSON is accepted as metadata, and is stored as it was sent",
    arguments: [
      #"{"location": [1, 2]}"#, "[]", "0", "-1.50e2", "true", #""text""#, " {\n} ", #""\ud83d\ude00""#,
      #"{"a":1,"a":2}"#, "123456789012345678901234567890",
    ])
  func metadata(_ sent: String) throws {
    let metadata = try #require(try AttachmentMetadata.parse(bytes(sent).span, limit: sent.utf8.count))
    #expect(text(metadata.text) == sent)
    #expect(text(WireJSON.encode(metadata)) == sent)
  }

  @Test("an empty text and `null` mean that there is no metadata", arguments: ["", "null", " null\n"])
  func noMetadata(_ sent: String) throws {
    #expect(try AttachmentMetadata.parse(bytes(sent).span, limit: 4_096) == nil)
  }

  @Test(
    "metadata that is not JSON is refused",
    arguments: [
      " ", "{", "nul", "'a'", "{a:1}", "[1,]", "01", "1e999", "\u{FEFF}{}", "{} {}", "\"\u{1}\"",
      "\"\u{0}\"",
    ])
  func badMetadata(_ sent: String) {
    let refusal = #expect(throws: Refusal.self) {
      try AttachmentMetadata.parse(bytes(sent).span, limit: 4_096)
    }
    #expect(refusal?.code == .badRequest)
    #expect(refusal?.limit == nil)
  }

  @Test(
    "metadata that is not UTF-8 is refused",
    arguments: [[0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]])
  func notUTF8(_ sent: [UInt8]) {
    let refusal = #expect(throws: Refusal.self) { try AttachmentMetadata.parse(sent.span, limit: 4_096) }
    #expect(refusal?.code == .badRequest)
  }

  @Test(
    "metadata that is one byte too long is refused before it is parsed; the refusal contains limit and length"
  )
  func longMetadata() throws {
    let longest = "\"\(String(repeating: "x", count: 4_094))\""
    #expect(try AttachmentMetadata.parse(bytes(longest).span, limit: 4_096) != nil)
    let refusal = #expect(throws: Refusal.self) {
      try AttachmentMetadata.parse([UInt8](repeating: 0, count: 4_097).span, limit: 4_096)
    }
    #expect(refusal?.code == .badRequest)
    #expect(refusal?.limit == 4_096)
    #expect(refusal?.actual == 4_097)
  }

  @Test("metadata is refused if it is nested so deeply that a list of attachments with it could not be read")
  func deepMetadata() throws {
    func nested(_ depth: Int) -> [UInt8] {
      bytes(String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth))
    }
    var object = Self.examples[0].object
    object.metadata = try AttachmentMetadata.parse(nested(28).span, limit: 4_096)
    let list = try WireJSON.decode(
      AttachmentList.self, from: WireJSON.encode(AttachmentList([object])).span)
    #expect(list.attachments.first?.metadata == object.metadata)
    let refusal = #expect(throws: Refusal.self) {
      try AttachmentMetadata.parse(nested(29).span, limit: 4_096)
    }
    #expect(refusal?.code == .badRequest)
    #expect(throws: Refusal.self) { try AttachmentMetadata.parse(nested(2_000).span, limit: 4_096) }
  }

  @Test(
    "characters that do not fit into one line are removed from an attachment's name, and the name is truncated to 255 scalars",
    arguments: [
      (nil, "attachment"), ("", "attachment"), (" \n\t\u{200B}", "attachment"), ("a.png", "a.png"),
      ("👩\u{200D}👧.png", "👩\u{200D}👧.png"), ("\u{200D} a \u{200C}", "a"), ("\u{200C}\u{200D}", "attachment"),
      (" a  b.png ", "a  b.png"), ("a\r\nb\0.png", "ab.png"), ("gpj.\u{202E}exe", "gpj.exe"),
      ("\u{2028}a\u{2029}", "a"), ("../../etc/passwd", "../../etc/passwd"), ("\u{85}é😀", "é😀"),
      (String(repeating: "x", count: 300), String(repeating: "x", count: 255)),
      (String(repeating: "é", count: 300), String(repeating: "é", count: 255)),
      (String(repeating: "😀", count: 255), String(repeating: "😀", count: 255)),
      (String(repeating: "😀", count: 256), String(repeating: "😀", count: 255)),
      (String(repeating: "x", count: 254) + " yz", String(repeating: "x", count: 254)),
    ] as [(String?, String)])
  func name(_ given: String?, _ expected: String) {
    #expect(AttachmentName.sanitised(given) == expected)
  }
}
