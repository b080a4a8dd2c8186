import Testing
import Networking
import Platform
import Primitives
import WebSocket

@testable import drawtogether_bench

@Suite("If the server stops during a run, the load generator ends with an error")
struct ServerEndTests {
  /// The output and the exit code.
  private struct Ended {
    var code: Int32
    var output = ""
    var errors = ""
  }

  private func run(_ words: String, against server: StoppingServer) -> Ended {
    let ended = Guarded(Ended(code: -1))
    let command = BenchCommand(
      arguments: words.split(separator: " ").map(String.init) + ["--server", "http://\(server.address)"],
      output: { text in ended.withLock { $0.output += text } },
      errors: { text in ended.withLock { $0.errors += text } })
    let code = command.run()
    ended.withLock { $0.code = code }
    return ended.withLock { $0 }
  }

  // Each mode is asked to measure for an hour, so only the closed sockets can end the run within the time limit.
  @Test(
    "When the server closes the sockets, the run ends immediately with a one-sentence error and exit code 1",
    .timeLimit(.minutes(1)),
    arguments: [
      "fan-out --members 1 --peer --seconds 3600", "fan-out --members 1 --peer --seconds 3600 --rate 50",
      "rooms --sessions 1 --members 2 --peer --seconds 3600",
      "fan-out --members 1 --peer --seconds 3600 --json",
    ])
  func closes(_ words: String) throws {
    let server = try StoppingServer(sockets: 2, farewell: [])
    let ended = run(words, against: server)
    try server.end()
    #expect(ended.code == 1)
    #expect(ended.output.isEmpty)
    #expect(
      ["0", "1"].map { "drawtogether-bench: Socket \($0) was closed without a close frame.\n" }.contains(
        ended.errors))
  }

  @Test(
    "If the server closes a socket with a code and a reason, the error of the load generator contains both",
    .timeLimit(.minutes(1)))
  func saysWhy() throws {
    let server = try StoppingServer(sockets: 2, farewell: [0x88, 0x05, 0x03, 0xF4] + Array("Bye".utf8))
    let ended = run("fan-out --members 1 --peer --seconds 3600 --rate 50", against: server)
    try server.end()
    #expect(ended.code == 1)
    #expect(ended.errors.hasSuffix(" was closed with 1012 Bye.\n"))
  }
}

/// Upgrades some sockets, waits for data on one, and closes them all.
private final class StoppingServer: Sendable {
  let address: SocketAddress
  private let thread: SystemThread
  private let failure: Fault

  /// The error that ended the server's thread; nil if there was none.
  private final class Fault: Sendable {
    let error = Guarded<(any Error)?>(nil)
  }

  /// Waits until the sockets are open. Sends `farewell` on each socket before closing it.
  init(sockets: Int, farewell: [UInt8]) throws {
    let listener = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
    let fault = Fault()
    address = listener.address
    failure = fault
    thread = try SystemThread(name: "stopping") {
      do {
        try Self.serve(listener, sockets, farewell)
      } catch {
        fault.error.withLock { $0 = error }
      }
    }
  }

  /// Waits until the server's thread has ended, and throws the thread's error if there was one.
  func end() throws {
    thread.join()
    if let error = failure.error.withLock({ $0 }) { throw error }
  }

  private static func serve(_ listener: Listener, _ count: Int, _ farewell: [UInt8]) throws {
    var sockets: [Socket] = []
    defer { for socket in sockets { _ = OwnedDescriptor(owning: socket.descriptor) } }
    while sockets.count < count {
      try #require(try Socket(listener.descriptor).wait(until: .readable, atMost: .seconds(10)))
      guard case .accepted(let descriptor, _) = listener.accept() else { continue }
      let socket = Socket(descriptor.release())
      sockets.append(socket)
      try upgrade(socket)
    }
    // Only one of the two members sends, and the server does not know which. So it waits for data on each socket.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let deadline = MonotonicTime.now() + .seconds(30)
    while MonotonicTime.now() < deadline {
      for socket in sockets where try socket.wait(until: .readable, atMost: .milliseconds(5)) {
        // If no bytes can be received, the bench has closed its connection first.
        guard case .received = socket.receive(into: &buffer) else { return }
        if !farewell.isEmpty { for socket in sockets { _ = socket.send(farewell.span) } }
        return
      }
    }
  }

  private static func upgrade(_ socket: Socket) throws {
    var head = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !head.hasSuffix("\r\n\r\n") {
      try #require(try socket.wait(until: .readable, atMost: .seconds(10)))
      guard case .received(let count) = socket.receive(into: &buffer) else { continue }
      head += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let fields: [HandshakeField] = head.split(separator: "\r\n").dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    let request = try UpgradeRequest.evaluate(method: "GET", minorVersion: 1, fields: fields)
    var answer = "HTTP/1.1 101 Switching Protocols\r\n"
    for field in request.responseFields() { answer += "\(field.name): \(field.value)\r\n" }
    let sent = socket.send(Array((answer + "\r\n").utf8).span)
    #expect(sent == .sent(answer.utf8.count + 2))
  }
}
