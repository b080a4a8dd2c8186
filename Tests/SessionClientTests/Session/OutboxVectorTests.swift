import FoundationEssentials
import Primitives
import TestSupport
import Testing
import Wire

@testable import SessionClient

/// The content of `Tests/Vectors/outbox.json`.
private struct OutboxVectors: Decodable {
  let scripts: [OutboxScript]
}

/// A sequence of steps of the program, the gateway and the network, with what a client sends and keeps after each of them.
struct OutboxScript: Decodable, Sendable, CustomTestStringConvertible {
  /// An entry that a client puts on the socket. The payload is nil for an entry that only uses up its client sequence.
  struct Frame: Decodable, Sendable {
    let clientSequence: UInt32
    let payload: String?

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      clientSequence = try container.decode(UInt32.self)
      payload = try container.decodeIfPresent(String.self)
    }
  }

  struct Position: Decodable, Sendable {
    let epoch: String?
    let after: UInt64?
    let next: UInt32?
  }

  struct State: Decodable, Sendable {
    let next: UInt32?
    let kept: [String]
    let unacknowledged: [String]
  }

  struct Join: Decodable, Sendable {
    let resumed: Bool
    let number: ParticipantNumber
    let epoch: String
    let sequence: UInt64
    let committed: UInt64
    let acknowledged: UInt32
  }

  struct CatchUp: Decodable, Sendable {
    let kind: String
    let epoch: String
    let sequence: UInt64
  }

  struct Refused: Decodable, Sendable {
    let code: String
    let clientSequence: UInt32
    let retryAfterMs: UInt64?
    let expected: UInt32?
  }

  struct Step: Decodable, Sendable {
    let begin: Bool?
    let send: [String]?
    let open: Bool?
    let joined: Join?
    let catchUp: CatchUp?
    let caughtUp: UInt64?
    let echo: [[UInt64]]?
    let others: [UInt64]?
    let committed: UInt64?
    let error: Refused?
    let passMs: Int?
    let cut: Bool?
    let closed: UInt16?
    let frames: [Frame]?
    let resume: Position?
    let state: State?
  }

  let name: String
  let steps: [Step]

  var testDescription: String { name }
}

@Suite("PROTOCOL 3.1: a client sends and keeps the entries that the vectors name")
struct OutboxVectorTests {
  @Test(
    "After each step of a script, the client has sent and keeps the expected entries",
    arguments: (Vectors.load("outbox") as OutboxVectors).scripts)
  func follows(_ script: OutboxScript) throws {
    var client = OutboxClient()
    for (index, step) in script.steps.enumerated() {
      try client.take(step)
      let place = Comment(rawValue: "step \(index)")
      #expect(client.frames == (step.frames ?? []).map { "\($0.clientSequence) \($0.payload ?? "")" }, place)
      if let resume = step.resume { #expect(client.resume == client.expected(resume), place) }
      guard let state = step.state else { continue }
      #expect(client.kept == state.kept, place)
      #expect(client.unacknowledged == state.unacknowledged, place)
      if let next = state.next { #expect(client.next == next, place) }
    }
  }
}

/// A session of the client, driven by the steps of a script.
private struct OutboxClient {
  private var harness = SessionHarness()
  private var number: ParticipantNumber = 1

  init() {
    harness.session.join(now: harness.now)
    harness.drainEffects()
  }

  /// The entries that the last step put on the socket: client sequence and payload of each.
  var frames: [String] { harness.sent }
  /// The resume data of the `join` that the last step sent.
  var resume: Resume? { harness.resume }
  /// The value of `next` in the next resume.
  var next: UInt32 { harness.session.outbox.next }
  /// The payloads that may not be on the gateway's disk.
  var kept: [String] { payloads(from: harness.session.outbox.head) }
  /// The payloads that may not be in the session.
  var unacknowledged: [String] { payloads(from: harness.session.outbox.accepted) }

  private func payloads(from index: Int) -> [String] {
    harness.session.outbox.items[index...].compactMap { $0.entry }.map {
      String(decoding: $0.payload, as: UTF8.self)
    }
  }

  /// Returns the resume data of a vector, with the token of this client; nil if the vector has none.
  func expected(_ resume: OutboxScript.Position) -> Resume? {
    resume.next.map {
      Resume(token: SessionHarness.token, epoch: resume.epoch, after: resume.after, next: $0)
    }
  }

  mutating func take(_ step: OutboxScript.Step) throws {
    harness.clear()
    if step.begin == true {
      harness.open()
      harness.joined()
      harness.receive(.catchUp(.snapshot, epoch: "e", sequence: 10))
      harness.receive(.caughtUp(sequence: 10))
    }
    for text in step.send ?? [] { harness.send(text) }
    if step.open == true { harness.open() }
    if let joined = step.joined {
      number = joined.number
      var participant = SessionHarness.ada
      participant.number = number
      harness.sequence = joined.sequence
      harness.joined(
        as: participant, epoch: joined.epoch, acknowledged: joined.acknowledged, committed: joined.committed,
        resumed: joined.resumed)
    }
    if let catchUp = step.catchUp {
      let kind = try #require(CatchUpKind(rawValue: catchUp.kind))
      harness.receive(.catchUp(kind, epoch: catchUp.epoch, sequence: catchUp.sequence))
    }
    if let sequence = step.caughtUp { harness.receive(.caughtUp(sequence: sequence)) }
    for echo in step.echo ?? [] {
      harness.deliver(SessionHarness.entry(number, UInt32(echo[0]), at: echo[1]))
    }
    for sequence in step.others ?? [] {
      harness.deliver(SessionHarness.entry(2, UInt32(sequence), at: sequence))
    }
    if let sequence = step.committed { harness.receive(.committed(sequence: sequence)) }
    if let error = step.error {
      let code = try #require(ErrorCode(rawValue: error.code))
      harness.refuse(
        code, error.clientSequence, retryAfterMs: error.retryAfterMs, expected: error.expected)
    }
    if let milliseconds = step.passMs { harness.advance(by: .milliseconds(milliseconds)) }
    if step.cut == true { harness.loseConnection() }
    if let code = step.closed { harness.closed(code) }
  }
}
