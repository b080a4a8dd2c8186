import Testing
import Networking
import Primitives

@testable import Gateway

@Suite("HandshakeTable limits the TLS handshakes that are in progress")
struct HandshakeTableTests {
  private static func key(_ slot: Int) -> Connection.Key { Connection.Key(slot: Int32(slot), generation: 1) }
  private static func address(_ number: UInt32) -> IPAddress { IPAddress(v4: 0x7F00_0000 + number) }

  @Test(
    "If the table of TLS handshakes is full, a new handshake replaces the oldest one of the address that has most handshakes"
  )
  func share() {
    let table = HandshakeTable(capacity: 6)
    // The oldest handshake (slot 0) is the only one of address 1. So it is not the victim when the table is full.
    for (slot, address) in [1, 2, 3, 2, 3, 2].enumerated() {
      #expect(table.victim() == nil)
      table.insert(
        Self.key(slot), from: Self.address(UInt32(address)), at: MonotonicTime(nanoseconds: Int64(slot)))
    }
    #expect(table.victim() == Self.key(1))
    table.remove(Self.key(1), from: Self.address(2))
    #expect(table.count == 5 && table.victim() == nil)
    table.insert(Self.key(6), from: Self.address(4), at: MonotonicTime(nanoseconds: 6))
    // Addresses 2 (slots 3, 5) and 3 (slots 2, 4) have two handshakes each: the oldest of these four is replaced.
    #expect(table.victim() == Self.key(2))
  }

  @Test(
    "If the table of TLS handshakes is full and each address has one handshake, the oldest handshake is replaced"
  )
  func oldest() {
    let table = HandshakeTable(capacity: 50)
    for slot in 0..<50 {
      table.insert(
        Self.key(slot), from: Self.address(UInt32(slot)), at: MonotonicTime(nanoseconds: Int64(100 - slot)))
    }
    #expect(table.victim() == Self.key(49))
    // A handshake that ends by itself is removed by the first call; a second call finds nothing to remove.
    #expect(table.remove(Self.key(49), from: Self.address(49)) == MonotonicTime(nanoseconds: 51))
    #expect(table.remove(Self.key(49), from: Self.address(49)) == nil)
    #expect(table.count == 49 && table.victim() == nil)
  }

  @Test("The addresses of an IPv6 /64 count as one address")
  func network() {
    let table = HandshakeTable(capacity: 3)
    for (slot, address) in [IPAddress(v4: 1), IPAddress(v6High: 7, low: 1), IPAddress(v6High: 7, low: 2)]
      .enumerated()
    {
      table.insert(Self.key(slot), from: address, at: MonotonicTime(nanoseconds: Int64(slot)))
    }
    #expect(table.victim() == Self.key(1))
  }
}
