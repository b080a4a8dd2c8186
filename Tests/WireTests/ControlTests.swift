import FoundationEssentials
import Testing
import Wire
import TestSupport

/// PROTOCOL 2: control messages of clients, compared with literal JSON.
@Suite("PROTOCOL 2: control messages from clients have the documented JSON")
struct ClientControlTests {
  static let examples = ControlVectors.file.fromClients

  @Test("the JSON text of each example is parsed into the expected message", arguments: examples)
  func decodes(_ example: ControlVector<ClientMessage>) throws {
    let control = try ClientControl.decode(WireTests.bytes(example.text.text).span)
    #expect(control == example.message.control)
  }

  @Test(
    "the message of each example is encoded as the expected JSON text",
    arguments: examples.filter(\.isWritten))
  func encodes(_ example: ControlVector<ClientMessage>) {
    #expect(text(example.message.control.encoded()) == example.text.text)
  }

  @Test("a truncated message is refused, because it is not JSON", arguments: examples)
  func prefixes(_ example: ControlVector<ClientMessage>) {
    let whole = WireTests.bytes(String(example.text.text.reversed().drop { $0 == " " }.reversed()))
    for count in 0..<whole.count {
      #expect(throws: WireError.notJSON) {
        try ClientControl.decode(Array(whole.prefix(count)).span)
      }
    }
  }

  @Test(
    "a message is refused with an explanation unless it has exactly one member, which is known and valid",
    arguments: ControlVectors.file.refusedFromClients)
  func refuses(_ refused: RefusedControlVector) throws {
    let expected = try #require(refused.wireError)
    let error = #expect(throws: expected) {
      try ClientControl.decode(WireTests.bytes(refused.text.text).span)
    }
    #expect(error?.refusal.code.rawValue == refused.code)
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
      var message = WireTests.bytes(Self.examples[index].text.text)
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
