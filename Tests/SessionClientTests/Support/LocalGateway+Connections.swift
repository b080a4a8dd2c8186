import FoundationEssentials
import Glibc
import Testing
import Networking
import Platform
import Wire

@testable import SessionClient

/// What tests of connections need of a gateway.
extension LocalGateway {
  /// A new session.
  func makeSession() async throws -> SessionID {
    try await GatewayAPI(address()).makeSession(.standard).id
  }

  /// The address of a gateway behind a socket's.
  static func address(
    of socket: SocketAddress, isSecure: Bool = false, certificates: String? = nil
  ) throws -> GatewayAddress {
    let url = try #require(URL(string: "\(isSecure ? "https" : "http")://\(socket)"))
    return try GatewayAddress(url, certificates: certificates)
  }
}

extension TestTimeout {
  /// Waits on this thread until something holds that comes by itself on another; throws what was there instead.
  static func block(
    until what: String, _ condition: () throws -> Bool, otherwise: () -> String = { "" }
  ) throws {
    let deadline = deadline
    while try !condition() {
      guard .now() < deadline else { throw TimeoutError(waitingFor: "\(what); \(otherwise())") }
      // Gives way to that thread.
      sched_yield()
    }
  }
}

extension SeededNumbers: RandomNumberGenerator {
  mutating func next() -> UInt64 {
    next(below: 1 << 32) << 32 | next(below: 1 << 32)
  }
}
