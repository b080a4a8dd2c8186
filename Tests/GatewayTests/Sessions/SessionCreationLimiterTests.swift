import Networking
import Primitives
import Testing

@testable import Gateway

@Suite("SessionCreationLimiter limits the rate at which a client creates sessions")
struct SessionCreationLimiterTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private let client = IPAddress(v4: 0x0A00_0001)

  @Test(
    "A client can create a burst of as many sessions as the limit allows per minute, then only at this rate"
  )
  func limit() {
    var limiter = SessionCreationLimiter(perMinute: 4)
    for _ in 0..<4 { #expect(limiter.admit(client, at: start) == nil) }
    #expect(limiter.admit(client, at: start) == .seconds(15))
    #expect(limiter.admit(client, at: start + .seconds(14)).map { $0 <= .milliseconds(1001) } == true)
    #expect(limiter.admit(client, at: start + .milliseconds(15_001)) == nil)
    #expect(limiter.admit(client, at: start + .milliseconds(15_001)) != nil)
  }

  @Test(
    "Each client has its own limit for creating sessions; the addresses of one IPv6 network share one limit")
  func clients() throws {
    var limiter = SessionCreationLimiter(perMinute: 1)
    let first = try #require(IPAddress("2001:db8::1"))
    let sameNetwork = try #require(IPAddress("2001:db8::2"))
    let otherNetwork = try #require(IPAddress("2001:db8:0:1::1"))
    #expect(limiter.admit(client, at: start) == nil)
    #expect(limiter.admit(first, at: start) == nil)
    #expect(limiter.admit(sameNetwork, at: start) == .seconds(60))
    #expect(limiter.admit(otherNetwork, at: start) == nil)
  }

  @Test(
    "The limiter forgets a client that has created no session for a minute, but keeps a client that is at its limit"
  )
  func memory() {
    var limiter = SessionCreationLimiter(perMinute: 2)
    for number in 0..<100 { _ = limiter.admit(IPAddress(v4: UInt32(0x0B00_0000 + number)), at: start) }
    for _ in 0..<2 { #expect(limiter.admit(client, at: start + .seconds(59)) == nil) }
    #expect(limiter.count == 101)
    #expect(limiter.admit(client, at: start + .seconds(61)) != nil)
    #expect(limiter.count == 1)
  }
}
