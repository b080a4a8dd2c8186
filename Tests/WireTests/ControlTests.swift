import FoundationEssentials
import Testing
import Wire
import TestSupport

/// PROTOCOL 2: control messages of clients, compared with literal JSON.
@Suite("PROTOCOL 2: control messages from clients have the documented JSON")
struct ClientControlTests {
  /// A control message, and its JSON text.
  struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let control: ClientControl
    /// True if our client writes exactly this text.
    var isWritten = true

    var testDescription: String { text }
  }

  static let token = Token(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  static let examples = [
    Example(text: #"{"join":{}}"#, control: .join(Join())),
    Example(
      text: ##"{"join":{"name":"Ada","color":"#e4572e"}}"##,
      control: .join(Join(profile: Profile(name: "Ada", color: "#e4572e")))),
    Example(
      text: #"{"join":{"resume":{"token":"ABEiM0RVZneImaq7zN3u_w","epoch":"e1","after":812,"next":42}}}"#,
      control: .join(Join(resume: Resume(token: token, epoch: "e1", after: 812, next: 42)))),
    Example(
      text: ##" { "join" : { "resume" : { "after" : 812.0, "token" : "?" }, "other": [1, {}] } } "##,
      control: .join(Join(resume: Resume(after: 812))), isWritten: false),
    Example(
      text: #"{"join":{"name":null,"resume":{"next":0,"epoch":null,"after":18446744073709551615}}}"#,
      control: .join(Join(resume: Resume(after: .max))), isWritten: false),
    Example(text: #"{"join":{"resume":null}}"#, control: .join(Join()), isWritten: false),
    Example(text: #"{"wait":{"name":"Bo"}}"#, control: .wait(Profile(name: "Bo"))),
    Example(text: #"{"leave":{}}"#, control: .leave),
    Example(text: #"{"leave":{"why":1},"unknown":true}"#, control: .leave, isWritten: false),
    Example(text: #"{"end":{}}"#, control: .end),
    Example(
      text: ##"{"profile":{"name":"a\"b\\\n","color":"red"}}"##,
      control: .profile(Profile(name: "a\"b\\\n", color: "red"))),
    Example(
      text: #"{"profile":{"name":"\u00e9\ud83d\ude00\ud800\/"}}"#,
      control: .profile(Profile(name: "é😀\u{FFFD}/")), isWritten: false),
    Example(
      text: #"{"activity":{"title":"T","payload":{"a":[1,-2,0.5,18446744073709551615,true,null,"x"]}}}"#,
      control: .activity(
        ActivityChange(
          title: "T",
          payload: .object([
            "a": .array([
              .integer(1), .integer(-2), .number(0.5), .unsigned(.max), .bool(true), .null, .string("x"),
            ])
          ])))),
    Example(
      text: #"{"activity":{"payload":null}}"#, control: .activity(ActivityChange(payload: .null))),
  ]

  @Test("the JSON text of each example is parsed into the expected message", arguments: examples)
  func decodes(_ example: Example) throws {
    let control = try ClientControl.decode(WireTests.bytes(example.text).span)
    #expect(control == example.control)
  }

  @Test(
    "the message of each example is encoded as the expected JSON text",
    arguments: examples.filter(\.isWritten))
  func encodes(_ example: Example) {
    #expect(text(example.control.encoded()) == example.text)
  }

  @Test("a truncated message is refused, because it is not JSON", arguments: examples)
  func prefixes(_ example: Example) {
    let whole = WireTests.bytes(String(example.text.reversed().drop { $0 == " " }.reversed()))
    for count in 0..<whole.count {
      #expect(throws: WireError.notJSON) {
        try ClientControl.decode(Array(whole.prefix(count)).span)
      }
    }
  }

  /// A text and the rule that it breaks.
  struct Refused: Sendable, CustomTestStringConvertible {
    let text: String
    let error: WireError

    var testDescription: String { text }
  }

  @Test(
    "a message is refused with an explanation unless it has exactly one member, which is known and valid",
    arguments: [
      Refused(text: "[]", error: .unknownControl),
      Refused(text: "1", error: .unknownControl),
      Refused(text: "{}", error: .unknownControl),
      Refused(text: #"{"draw":{}}"#, error: .unknownControl),
      Refused(text: #"{"join":{},"leave":{}}"#, error: .unknownControl),
      Refused(text: #"{"join":5}"#, error: .invalidMember("join")),
      Refused(text: #"{"leave":null}"#, error: .invalidMember("leave")),
      Refused(text: #"{"end":true}"#, error: .invalidMember("end")),
      Refused(text: #"{"join":{"name":5}}"#, error: .invalidMember("name")),
      Refused(text: #"{"wait":{"color":[]}}"#, error: .invalidMember("color")),
      Refused(text: #"{"join":{"resume":"x"}}"#, error: .invalidMember("resume")),
      Refused(text: #"{"join":{"resume":{"token":7}}}"#, error: .invalidMember("token")),
      Refused(text: #"{"join":{"resume":{"after":-1}}}"#, error: .invalidMember("after")),
      Refused(text: #"{"join":{"resume":{"after":1.5}}}"#, error: .invalidMember("after")),
      Refused(text: #"{"join":{"resume":{"after":1e300}}}"#, error: .invalidMember("after")),
      Refused(text: #"{"join":{"resume":{"next":4294967296}}}"#, error: .invalidMember("next")),
      Refused(text: #"{"join":{"resume":{"epoch":1}}}"#, error: .invalidMember("epoch")),
      Refused(
        text: #"{"activity":{"title":""}}"#, error: .textLength(member: "title", limit: 128, actual: 0)),
      Refused(text: "not json", error: .notJSON),
      Refused(text: "{\"leave\":{}}\u{0}", error: .notJSON),
      Refused(text: #"{"leave":{}}{}"#, error: .notJSON),
      Refused(text: #"{"leave":{},}"#, error: .notJSON),
      Refused(text: #"{'leave':{}}"#, error: .notJSON),
      Refused(text: "{\0\"\0l\0e\0a\0v\0e\0\"\0:\0{\0}\0}\0", error: .notJSON),
      Refused(text: "\u{FEFF}{\"leave\":{}}", error: .notJSON),
    ])
  func refuses(_ refused: Refused) {
    let error = #expect(throws: refused.error) {
      try ClientControl.decode(WireTests.bytes(refused.text).span)
    }
    #expect(error?.refusal.code == .badRequest)
    #expect(error?.refusal.detail.isEmpty == false)
  }

  @Test("a message above 64 KiB is refused, but one of exactly 64 KiB is accepted")
  func lengths() throws {
    let head = #"{"leave":{"#
    let whole = head + String(repeating: " ", count: 65_536 - head.utf8.count - 2) + "}}"
    let control = try ClientControl.decode(WireTests.bytes(whole).span)
    #expect(control == .leave)
    #expect(throws: WireError.controlTooLong(limit: 65_536, actual: 65_537)) {
      try ClientControl.decode(WireTests.bytes(whole + " ").span)
    }
  }

  @Test("the title of an activity has at most 128 scalars, and its payload has at most 16 KiB as JSON")
  func activityLimits() throws {
    func decode(title count: Int) throws(WireError) -> ClientControl {
      let title = String(repeating: "é", count: count)
      return try ClientControl.decode(WireTests.bytes(#"{"activity":{"title":"\#(title)"}}"#).span)
    }
    #expect(
      try decode(title: 128) == .activity(ActivityChange(title: String(repeating: "é", count: 128))))
    #expect(throws: WireError.textLength(member: "title", limit: 128, actual: 129)) {
      try decode(title: 129)
    }
    func decode(payload count: Int) throws(WireError) -> ClientControl {
      let payload = String(repeating: "x", count: count - 2)
      return try ClientControl.decode(WireTests.bytes(#"{"activity":{"payload": "\#(payload)"}}"#).span)
    }
    #expect(throws: Never.self) { try decode(payload: 16_384) }
    #expect(throws: WireError.payloadTooLarge(limit: 16_384, actual: 16_385)) {
      try decode(payload: 16_385)
    }
  }

  @Test("randomly changed bytes are parsed or refused, without a trap", arguments: 0..<8)
  func mutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let index = Int.random(in: 0..<Self.examples.count, using: &random)
      var message = WireTests.bytes(Self.examples[index].text)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<message.count, using: &random)
        let choice = WireTests.bytes(#"{}[]",:\0123456789.eE-+ntfu"# + "\0\n")
        message[index] =
          Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random)
          : choice[Int.random(in: 0..<choice.count, using: &random)]
      }
      do throws(WireError) {
        let control = try ClientControl.decode(message.span)
        let again = try ClientControl.decode(control.encoded().span)
        #expect(again == control)
      } catch {
        #expect(!error.detail.isEmpty)
      }
    }
  }
}

/// PROTOCOL 1: the body of `POST /api/sessions`.
@Suite("PROTOCOL 1: the request body that creates a session")
struct ActivityRequestTests {
  @Test("a member that the body omits has the value of the standard activity")
  func defaults() throws {
    #expect(try decode("") == ActivityRequest(activity: .standard))
    #expect(try decode("{}") == ActivityRequest(activity: .standard))
    #expect(try decode(#"{"activity":null,"x":1}"#) == ActivityRequest(activity: .standard))
    var titled = Activity.standard
    titled.title = "Mine"
    #expect(try decode(#"{"activity":{"title":"Mine"}}"#) == ActivityRequest(activity: titled))
    #expect(
      text(WireJSON.encode(Activity.standard))
        == #"{"identifier":"drawtogether","title":"Draw Together","type":"generic"}"#)
  }

  @Test("a complete request body is parsed, and written unchanged")
  func whole() throws {
    let body =
      #"{"activity":{"identifier":"i","title":"t","type":"y","payload":[1]},"follows":"ABEiM0RVZneImaq7zN3u_w"}"#
    let request = try decode(body)
    #expect(
      request
        == ActivityRequest(
          activity: Activity(identifier: "i", title: "t", type: "y", payload: .array([.integer(1)])),
          follows: SessionID("ABEiM0RVZneImaq7zN3u_w")))
    #expect(text(WireJSON.encode(request)) == body)
  }

  @Test(
    "a body that is not a JSON object with valid members is refused",
    arguments: [
      "[]", "nonsense", #"{"activity":5}"#, #"{"activity":{"title":5}}"#, #"{"activity":{"identifier":""}}"#,
      #"{"follows":"short"}"#, #"{"follows":5}"#,
    ])
  func refuses(_ body: String) {
    let error = #expect(throws: WireError.self) { try decode(body) }
    #expect(error?.refusal.code == .badRequest)
  }

  private func decode(_ body: String) throws(WireError) -> ActivityRequest {
    try ActivityRequest.decode(WireTests.bytes(body).span)
  }
}
