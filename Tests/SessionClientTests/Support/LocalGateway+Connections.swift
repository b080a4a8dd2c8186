import FoundationEssentials
import Glibc
import Testing
import Networking
import Platform
import Wire

@testable import SessionClient

/// Sessions and addresses of a local gateway.
extension LocalGateway {
  /// Creates a session.
  func makeSession() async throws -> SessionID {
    try await GatewayAPI(address()).makeSession(.standard).id
  }

  /// Returns the gateway address for a socket address.
  static func address(
    of socket: SocketAddress, isSecure: Bool = false, certificates: String? = nil
  ) throws -> GatewayAddress {
    let url = try #require(URL(string: "\(isSecure ? "https" : "http")://\(socket)"))
    return try GatewayAddress(url, certificates: certificates)
  }
}

extension TestTimeout {
  /// Waits on this thread for a condition that another thread makes true.
  static func block(
    until what: String, _ condition: () throws -> Bool, otherwise: () -> String = { "" }
  ) throws {
    let deadline = deadline
    while try !condition() {
      guard .now() < deadline else { throw TimeoutError(waitingFor: "\(what); \(otherwise())") }
      // Gives other threads a chance to run.
      sched_yield()
    }
  }
}
