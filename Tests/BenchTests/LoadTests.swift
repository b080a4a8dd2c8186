import Testing

@testable import drawtogether_bench

@Suite("Pacing of senders, and parsing of server frames")
struct LoadTests {
  @Test(
    "When the maximum number of messages is in flight, a sender waits until one of them is delivered to all members"
  )
  func window() {
    var session = SessionLoad(senders: [4, 7], deliveriesEach: 3)
    #expect(session.room(.window(2)) == 4)
    #expect([session.takeSender(), session.takeSender(), session.takeSender()] == [4, 7, 4])
    session.sent = 4
    #expect(session.room(.window(2)) == 0)
    session.delivered = 2
    #expect(session.room(.window(2)) == 0)
    session.delivered = 3
    #expect(session.room(.window(2)) == 1)
  }

  @Test("A burst waits until all previous messages are delivered")
  func burst() {
    var session = SessionLoad(senders: [0], deliveriesEach: 2)
    #expect(session.room(.burst(16)) == 16)
    session.sent = 16
    session.delivered = 31
    #expect(session.room(.burst(16)) == 0)
    session.delivered = 32
    #expect(session.room(.burst(16)) == 16)
  }

  @Test("At a given rate, every sender sends once per period, each at its own offset within the period")
  func rate() {
    var schedule = Schedule(links: Array(0..<50), rate: 100, start: 1_000)
    var first: [Int: UInt64] = [:]
    for _ in 0..<50 {
      let due = schedule.due
      #expect(due >= 1_000 && due < 1_000 + 10_000_000)
      first[schedule.take()] = due
    }
    #expect(first.count == 50)
    #expect(Set(first.values).count > 40)
    for _ in 0..<50 {
      let due = schedule.due
      #expect(first[schedule.take()] == due - 10_000_000)
    }
  }

  @Test(
    "RFC 6455 §5.2: the payload follows a header with a length of 7, 16 or 64 bits",
    arguments: [
      ([0x82, 0x03, 1, 2, 3], 2..<5),
      ([0x82, 126, 0x01, 0x00, 9], 4..<260),
      ([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0, 9], 10..<65_546),
    ] as [([UInt8], Range<Int>)])
  func frames(_ bytes: [UInt8], _ payload: Range<Int>) throws {
    #expect(try ServerFrame.parse(bytes.span, at: 0)?.payload == payload)
    let later = [0, 0] + bytes
    #expect(
      try ServerFrame.parse(later.span, at: 2)?.payload == payload.lowerBound + 2..<payload.upperBound + 2)
    let short = Array(bytes[..<(payload.lowerBound - 1)])
    #expect(try ServerFrame.parse(short.span, at: 0) == nil)
  }

  @Test("A masked frame from a server is an error")
  func masked() {
    let bytes: [UInt8] = [0x82, 0x80, 0, 0, 0, 0]
    #expect(throws: BenchError.self) { try ServerFrame.parse(bytes.span, at: 0) }
  }
}
