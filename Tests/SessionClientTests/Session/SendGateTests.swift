import SessionClient
import FoundationEssentials
import Testing
import Primitives
import Wire

@Suite("SendGate accepts or rejects messages before they are queued")
struct SendGateTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func gate(_ limits: Limits = Limits()) -> SendGate {
    var gate = SendGate(now: start)
    gate.open()
    gate.use(limits, now: start)
    return gate
  }

  private func entry(_ bytes: Int, type: String = "T", targets: Int? = nil, reliable: Bool = true)
    -> OutgoingEntry
  {
    OutgoingEntry(
      type: type, payload: [UInt8](repeating: 0, count: bytes), isReliable: reliable,
      targets: targets.map { (0..<$0).map { _ in UUID() } })
  }

  /// A send, and the rejection that the test expects (`refusal`); nil if the send is admitted.
  struct SendCase: Sendable, CustomTestStringConvertible {
    let name: String
    var bytes = 0
    var type = "T"
    var targets: Int?
    var refusal: AdmissionError?
    var testDescription: String { name }
  }

  @Test(
    "Messages that exceed a limit of PROTOCOL 3 are rejected before they are queued",
    arguments: [
      SendCase(name: "262,144 bytes", bytes: 262_144),
      SendCase(name: "262,145 bytes", bytes: 262_145, refusal: .tooLarge(limit: 262_144, actual: 262_145)),
      SendCase(name: "no type", type: "", refusal: .typeLength(actual: 0)),
      SendCase(name: "255 bytes of type", type: String(repeating: "t", count: 255)),
      SendCase(
        name: "256 bytes of type", type: String(repeating: "é", count: 128),
        refusal: .typeLength(actual: 256)),
      SendCase(name: "1,000 targets", targets: 1_000),
      SendCase(name: "1,001 targets", targets: 1_001, refusal: .tooManyTargets(limit: 1_000, actual: 1_001)),
    ])
  func boundaries(_ sendCase: SendCase) throws {
    var gate = gate()
    let entry = entry(sendCase.bytes, type: sendCase.type, targets: sendCase.targets)
    if let refusal = sendCase.refusal {
      #expect(throws: refusal) { try gate.admit(entry, now: start) }
    } else {
      #expect(try gate.admit(entry, now: start))
    }
  }

  @Test("Messages are rejected before the client joins and after it leaves")
  func closed() throws {
    var gate = SendGate(now: start)
    #expect(throws: AdmissionError.notJoined) { try gate.admit(entry(1), now: start) }
    gate.open()
    #expect(try gate.admit(entry(1), now: start))
    gate.close()
    #expect(throws: AdmissionError.notJoined) { try gate.admit(entry(1), now: start) }
    #expect(throws: AdmissionError.notJoined) { try gate.admit(ActivityChange(title: "T"), now: start) }
  }

  @Test("A send with an empty target list is ignored and does not count toward the rate limit")
  func emptyTargets() throws {
    var gate = gate()
    for _ in 0..<5_000 { #expect(try !gate.admit(entry(1, targets: 0), now: start)) }
    #expect(try gate.admit(entry(1), now: start))
  }

  @Test(
    "A burst has at most the entries of 2 s at the rate limit; the next error states when a quarter of it is allowed"
  )
  func rate() throws {
    var limits = Limits()
    limits.entriesPerSecond = 1_000
    var gate = gate(limits)
    for _ in 0..<1_999 { #expect(try gate.admit(entry(1), now: start)) }
    try gate.admit(ActivityChange(title: "T"), now: start)
    let refusal = AdmissionError.rateLimited(retryAfter: .milliseconds(500))
    #expect(throws: refusal) { try gate.admit(entry(1), now: start) }
    #expect(throws: refusal) { try gate.admit(entry(1, reliable: false), now: start) }
    let later = start + .milliseconds(500)
    for _ in 0..<500 { #expect(try gate.admit(entry(1), now: later)) }
    #expect(throws: refusal) { try gate.admit(entry(1), now: later) }
  }

  @Test("Bytes are counted as the gateway counts them: payload, type, targets, header")
  func bytes() throws {
    var limits = Limits()
    limits.bytesPerSecond = 1_000
    var gate = gate(limits)
    // The burst is 2,000 bytes.
    #expect(try gate.admit(entry(1_000 - 10 - 2 - 8, type: "TT", targets: 2), now: start))
    #expect(try gate.admit(entry(1_000 - 10 - 1), now: start))
    #expect(throws: AdmissionError.self) { try gate.admit(entry(0), now: start) }
  }

  @Test("At most 64 MiB of entries are queued; released entries make room for new entries")
  func queue() throws {
    var limits = Limits()
    limits.bytesPerSecond = 1 << 30
    var gate = gate(limits)
    let size = 262_144
    for _ in 0..<255 { #expect(try gate.admit(entry(size), now: start)) }
    #expect(throws: AdmissionError.queueFull(limit: 64 << 20)) { try gate.admit(entry(size), now: start) }
    #expect(try gate.admit(entry(size, reliable: false), now: start), "an unreliable entry is not queued")
    gate.released(size + 11)
    #expect(try gate.admit(entry(size), now: start))
    #expect(throws: AdmissionError.queueFull(limit: 64 << 20)) { try gate.admit(entry(size), now: start) }
  }

  @Test("Activity changes count toward the 64 MiB limit of queued entries until `released` is called")
  func changes() throws {
    var limits = Limits()
    limits.bytesPerSecond = 1 << 30
    var gate = gate(limits)
    for _ in 0..<255 { #expect(try gate.admit(entry(262_144), now: start)) }
    var harness = SessionHarness.live()
    harness.loseConnection()
    let change = ActivityChange(payload: .string(String(repeating: "p", count: 16_000)))
    var admitted = 0
    let full = AdmissionError.queueFull(limit: 64 << 20)
    #expect(throws: full) {
      while admitted < 100 {
        try gate.admit(change, now: start)
        harness.session.change(change, now: harness.now)
        admitted += 1
      }
    }
    #expect(admitted == 16, "the queue had about 260,000 bytes left")
    harness.session.leave(now: harness.now)
    harness.advance(by: .seconds(10))
    #expect(harness.isFinished)
    #expect(harness.session.releasedBytes > 16 * 16_000)
    gate.released(harness.session.releasedBytes)
    for _ in 0..<16 { try gate.admit(change, now: start) }
    #expect(throws: full) { try gate.admit(change, now: start) }
  }

  @Test("An activity payload above 16 KiB of JSON or a title above 128 Unicode scalars is rejected")
  func activity() throws {
    var gate = gate()
    try gate.admit(ActivityChange(title: String(repeating: "t", count: 128)), now: start)
    #expect(throws: AdmissionError.tooLarge(limit: 128, actual: 129)) {
      try gate.admit(ActivityChange(title: String(repeating: "t", count: 129)), now: start)
    }
    try gate.admit(ActivityChange(payload: .string(String(repeating: "p", count: 16_382))), now: start)
    #expect(throws: AdmissionError.tooLarge(limit: 16_384, actual: 16_385)) {
      try gate.admit(ActivityChange(payload: .string(String(repeating: "p", count: 16_383))), now: start)
    }
  }
}
