import Glibc
import Testing
import Networking
import Platform

@Suite("A listener accepts connections on its port, alone or together with other listeners of that port")
struct ListenerTests {
  @Test("Several listeners can share a port that the system has chosen, and each listener gets connections")
  func sharing() throws {
    let first = try Listener(on: TCP.anyPort)
    #expect(first.address.port != 0)
    let second = try Listener(sharing: first)
    #expect(second.address == first.address)
    var clients: [Client] = []
    var peers = [0: Set<UInt16>(), 1: []]
    // The kernel chooses the listener by a hash of the ports. The probability that all 64 connections reach the same listener
    // is 1 in 2^63.
    for _ in 0..<64 {
      let client = Client(try Socket.connect(to: first.address))
      #expect(try client.socket.wait(until: .writable, atMost: .seconds(10)))
      try client.socket.pendingError()
      clients.append(client)
    }
    for (index, listener) in [first, second].enumerated() {
      accepting: while true {
        switch listener.accept() {
        case .accepted(_, let peer):
          #expect(peer.isLoopback)
          peers[index]?.insert(peer.port)
        case .wouldBlock: break accepting
        case .rejected(let error): throw error
        case .exhausted(let error): throw error
        }
      }
    }
    #expect(peers[0]?.isEmpty == false && peers[1]?.isEmpty == false)
    let ports = try Set(clients.map { try $0.socket.localAddress().port })
    #expect(peers[0]?.union(peers[1] ?? []) == ports)
  }

  @Test(
    "An exclusive listener fails with EADDRINUSE on a port in use, even if other listeners share the port"
  )
  func exclusive() throws {
    let first = try Listener(on: TCP.anyPort)
    #expect(throws: SystemError("bind", code: EADDRINUSE)) { try Listener(on: first.address) }
    let second = try Listener(sharing: first)
    #expect(throws: SystemError("bind", code: EADDRINUSE)) { try Listener(on: second.address) }
  }

  @Test("The port is free immediately after the listener is closed, even with open connections")
  func reuse() throws {
    var listener: Listener? = try Listener(on: TCP.anyPort)
    let address = try #require(listener).address
    let client = try Socket.connect(to: address)
    let accepted = try TCP.accept(from: try #require(listener))
    listener = nil
    let again = try Listener(on: address)
    #expect(again.address == address)
    #expect(
      try accepted.peer == Socket(client.rawValue).localAddress())
  }

  @Test("A listener on the unspecified IPv6 address accepts IPv4 too, and an IPv4 peer has an IPv4 address")
  func dualStack() throws {
    let listener = try Listener(on: SocketAddress(ip: IPAddress(v6High: 0, low: 0), port: 0))
    let target = SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: listener.address.port)
    let client = try Socket.connect(to: target)
    let accepted = try TCP.accept(from: listener)
    #expect(accepted.peer == (try Socket(client.rawValue).localAddress()))
    #expect(accepted.peer.host == "127.0.0.1")
  }

  @Test("If the process has no free descriptor, a new connection is closed instead of staying pending")
  func exhausted() async {
    await #expect(processExitsWith: .success) {
      let listener = try Listener(on: TCP.anyPort)
      let client = try Socket.connect(to: listener.address)
      #expect(try Socket(listener.descriptor).wait(until: .readable, atMost: .seconds(10)))
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      limit.rlim_cur = 64
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      while true { if unsafe open("/dev/null", O_RDONLY) < 0 { break } }
      guard case .rejected(let error) = listener.accept() else {
        Issue.record("the connection was not rejected")
        return
      }
      #expect(error.isOutOfDescriptors)
      #expect(try Socket(client.rawValue).wait(until: .readable, atMost: .seconds(10)))
      var buffer: [UInt8] = [0]
      #expect(Socket(client.rawValue).receive(into: &buffer) == .endOfStream)
      guard case .exhausted = listener.accept() else {
        guard case .wouldBlock = listener.accept() else {
          Issue.record("a connection is still pending")
          return
        }
        return
      }
    }
  }
}

private final class Client {
  let descriptor: OwnedDescriptor
  var socket: Socket { Socket(descriptor.rawValue) }

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }
}
