import Glibc
import Testing
import Networking
import Platform

@Suite("Sockets send and receive bytes, and descriptors are closed with their owners")
struct SocketTests {
  @Test("A descriptor is closed when its owner is destroyed, unless the owner has released the descriptor")
  func ownership() throws {
    let pipe = Pipe()
    do {
      let owner = OwnedDescriptor(owning: pipe.writing)
      #expect(owner.rawValue == pipe.writing)
      #expect(pipe.isOpen, "the descriptor is open as long as its owner lives")
    }
    #expect(!pipe.isOpen)

    let other = Pipe()
    #expect(OwnedDescriptor(owning: other.writing).release() == other.writing)
    #expect(other.isOpen)
    let holder = Holder(OwnedDescriptor(owning: other.writing))
    #expect(other.isOpen, "moving the owner does not close the descriptor")
    holder.descriptor = nil
    #expect(!other.isOpen)
  }

  @Test("Two spans are sent as one sequence of bytes, up to the size of the socket's buffer")
  func twoSpans() throws {
    let pair = try TCP.pair()
    let (client, server) = (Socket(pair.client.rawValue), Socket(pair.server.rawValue))
    let (first, second): ([UInt8], [UInt8]) = ([1, 2], [3, 4, 5])
    #expect(client.send(first.span, second.span) == .sent(5))
    #expect(client.send([UInt8]().span, second.span) == .sent(3))
    let one = client.send(first.span)
    #expect(one == .sent(2))
    var buffer = [UInt8](repeating: 0xff, count: 16)
    var count = 2
    while count < 12 {
      #expect(try server.wait(until: .readable, atMost: .seconds(10)))
      guard case .received(let more) = server.receive(into: &buffer, from: count) else { break }
      count += more
    }
    #expect(buffer == [0xff, 0xff, 1, 2, 3, 4, 5, 3, 4, 5, 1, 2, 0xff, 0xff, 0xff, 0xff])
    #expect(server.receive(into: &buffer) == .wouldBlock)

    let chunk = [UInt8](repeating: 7, count: 1 << 20)
    var sent = 0
    while case .sent(let count) = client.send(chunk.span, chunk.span) { sent += count }
    #expect(client.send(chunk.span, chunk.span) == .wouldBlock)
    var received = 0
    var large = [UInt8](repeating: 0, count: 1 << 20)
    while received < sent {
      #expect(try server.wait(until: .readable, atMost: .seconds(10)))
      guard case .received(let count) = server.receive(into: &large) else { break }
      received += count
    }
    #expect(received == sent)
  }

  @Test("Received bytes are appended to a buffer, at most as many as the caller allows")
  func appending() throws {
    let pair = try TCP.pair()
    let (client, server) = (Socket(pair.client.rawValue), Socket(pair.server.rawValue))
    var buffer: [UInt8] = [1]
    #expect(server.receive(appendingTo: &buffer, upTo: 2) == .wouldBlock)
    let bytes: [UInt8] = [2, 3, 4]
    #expect(client.send(bytes.span) == .sent(3))
    #expect(try server.wait(until: .readable, atMost: .seconds(10)))
    #expect(server.receive(appendingTo: &buffer, upTo: 2) == .received(2))
    #expect(server.receive(appendingTo: &buffer, upTo: 2) == .received(1))
    #expect(buffer == [1, 2, 3, 4])
    try client.shutdownWrite()
    #expect(try server.wait(until: .readable, atMost: .seconds(10)))
    #expect(server.receive(appendingTo: &buffer, upTo: 2) == .endOfStream)
    #expect(buffer == [1, 2, 3, 4])
  }

  @Test("After the peer has reset a connection, sending on it returns an error and raises no signal")
  func reset() throws {
    let listener = try Listener(on: TCP.anyPort)
    let connecting = try Socket.connect(to: listener.address)
    try Socket(connecting.rawValue).resetOnClose()
    let client = Holder(connecting)
    let accepted = try TCP.accept(from: listener)
    let server = Socket(accepted.descriptor.rawValue)
    client.descriptor = nil
    #expect(try server.wait(until: .readable, atMost: .seconds(10)))
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(server.receive(into: &buffer) == .failed(SystemError("recv", code: ECONNRESET)))
    let bytes: [UInt8] = [1]
    #expect(server.send(bytes.span) == .failed(SystemError("send", code: EPIPE)))
    #expect(server.send(bytes.span, bytes.span) == .failed(SystemError("sendmsg", code: EPIPE)))
  }

  @Test("A refused connection is reported as the pending error of the socket")
  func refused() throws {
    let address = try Listener(on: TCP.anyPort).address
    let socket = try Socket.connect(to: address)
    #expect(try Socket(socket.rawValue).wait(until: .writable, atMost: .seconds(10)))
    #expect(throws: SystemError("connect", code: ECONNREFUSED)) { try Socket(socket.rawValue).pendingError() }
  }

  @Test("A socket that a listener has accepted has the options that were set for the listener")
  func options() throws {
    let pair = try TCP.pair(
      options: SocketOptions(notSentLowWaterInBytes: 131_072, sendBufferInBytes: 65_536))
    let server = Socket(pair.server.rawValue)
    #expect(server.noDelay)
    #expect(try server.notSentLowWaterInBytes() == 131_072)
    #expect(try server.sendBufferInBytes() == 131_072, "the kernel reports twice the size that was set")
    try server.apply(SocketOptions(noDelay: false, receiveBufferInBytes: 8192))
    #expect(!server.noDelay)
    #expect(try server.notSentLowWaterInBytes() == 131_072)
  }

  @Test("The text of a socket error contains the failed call and the system's message")
  func errorWords() {
    #expect(SystemError("bind", code: EADDRINUSE).description == "bind: Address already in use")
    #expect(SystemError("bind", code: 9999).description == "bind: error 9999")
  }
}

/// A pipe whose reading end shows whether the writing end is open.
private final class Pipe {
  let writing: CInt
  private let reading: CInt

  init() {
    var ends: [CInt] = [0, 0]
    let status = unsafe pipe(&ends)
    precondition(status == 0, "a pipe can be created")
    (reading, writing) = (ends[0], ends[1])
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(reading)
  }

  var isOpen: Bool {
    var byte: UInt8 = 0
    return unsafe read(reading, &byte, 1) == -1
  }
}

private final class Holder {
  var descriptor: OwnedDescriptor?

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = consume descriptor
  }
}
