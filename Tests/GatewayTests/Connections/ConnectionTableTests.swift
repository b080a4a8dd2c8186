import Glibc
import Networking
import Platform
import Primitives
import Testing

@testable import Gateway

@Suite("ConnectionTable assigns a slot and a key to each connection")
struct ConnectionTableTests {
  /// Adds a connection with a descriptor that is not a socket.
  private func admit(to table: ConnectionTable) throws -> Connection {
    let descriptor = OwnedDescriptor(owning: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC))
    return try table.admit(descriptor) { key, descriptor in
      Connection(
        key: key, descriptor: descriptor, peer: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 1),
        tls: nil, deadline: .distantFuture)
    }
  }

  @Test("The key of a closed connection does not find a later connection in the same slot")
  func reusedSlot() throws {
    let table = ConnectionTable { _, _ in }
    let first = try admit(to: table)
    #expect(table[first.key] === first && table[token: first.key.token] === first)
    #expect(table.forget(first))
    #expect(table[first.key] == nil && !table.isOpen(first) && table.count == 0)
    let second = try admit(to: table)
    #expect(second.key.slot == first.key.slot && second.key.generation != first.key.generation)
    #expect(table[first.key] == nil && table[second.key] === second)
    #expect(!table.forget(first), "only an open connection can be removed")
    #expect(table.isOpen(second) && table.count == 1)
  }

  @Test("If a descriptor cannot be registered with the event loop, it is closed and uses no slot")
  func failedRegistration() throws {
    var fails = true
    var watched: [CInt] = []
    let table = ConnectionTable { (descriptor, _) throws(SystemError) in
      watched.append(descriptor)
      if fails { throw SystemError("epoll_ctl", code: ENOSPC) }
    }
    #expect(throws: SystemError.self) { _ = try admit(to: table) }
    #expect(table.count == 0 && table.rows.isEmpty)
    #expect(fcntl(watched[0], F_GETFD) == -1)
    fails = false
    let connection = try admit(to: table)
    #expect(connection.key.slot == 0 && table.count == 1)
  }
}
