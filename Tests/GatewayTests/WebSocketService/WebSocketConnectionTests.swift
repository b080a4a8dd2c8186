import Networking
import Primitives
import SessionCore
import Testing
import WebSocket
import Wire

@testable import Gateway

@Suite("A WebSocket connection answers pings and close frames, and is closed after errors and timeouts")
struct WebSocketConnectionTests {
  @Test(
    "A silent participant gets a ping and a heartbeat within 20 s; after 40 s, its socket is closed with 4008"
  )
  func silence() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let (silent, alive) = (try await worker.join(), try await worker.join())
    // Both clients read their output now. If they read it later, the number of unacknowledged bytes would fall, and the gateway
    // would count this as activity of the clients.
    for client in [silent, alive] { _ = try await worker.received(by: client) }
    await worker.advance(.seconds(20))
    await worker.sweep()
    #expect(try await worker.received(by: alive) == [.ping, .entries([])])
    await worker.send(.pong, [], from: alive)
    await worker.advance(.seconds(20))
    await worker.sweep()
    #expect(try await worker.received(by: silent).last == .close(4008))
    #expect(await worker.isOpen(alive))
    #expect(await !worker.isOpen(silent))
  }

  @Test("The socket of a peer that answered its first ping and then vanished is closed after 40 to 40.5 s")
  func vanished() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    var received: [ComponentWorker.Received] = []
    func step() async throws {
      await worker.advance(.milliseconds(500))
      await worker.sweep()
      received += try await worker.received(by: client)
    }
    while !received.contains(.ping) { try await step() }
    await worker.send(.pong, [], from: client)
    var steps = 0
    while await worker.isOpen(client), steps < 200 {
      try await step()
      steps += 1
    }
    #expect((80...81).contains(steps))
    #expect(received.last == .close(4008))
  }

  @Test("A participant that was active just now gets a heartbeat and no ping")
  func activePeer() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    await worker.advance(.seconds(18))
    await worker.draw([1], from: client)
    await worker.turn()
    _ = try await worker.received(by: client)
    await worker.advance(.seconds(2))
    await worker.sweep()
    #expect(try await worker.received(by: client) == [.entries([])])
  }

  @Test("If a client does not join within `joinSeconds`, its socket is closed with 4001")
  func noJoin() async throws {
    let worker = try ComponentWorker { $0.joinSeconds = 5 }
    try await worker.makeSession()
    let client = try await worker.connect()
    await worker.turn()
    await worker.advance(.seconds(4))
    await worker.sweep()
    #expect(await worker.isOpen(client))
    await worker.advance(.seconds(1))
    await worker.sweep()
    #expect(try await worker.received(by: client) == [.close(4001)])
  }

  @Test(
    "If a client sends a binary message or another control message before `join`, its socket is closed with 1008"
  )
  func unjoined() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let (binary, text) = (try await worker.connect(), try await worker.connect())
    await worker.draw([1], from: binary)
    await worker.send(.text, Array(#"{"leave":{}}"#.utf8), from: text)
    await worker.turn()
    for client in [binary, text] { #expect(try await worker.received(by: client) == [.close(1008)]) }
  }

  @Test(
    "A close frame is answered with the same code, and the connection then waits until the peer closes it")
  func closing() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    _ = try await worker.received(by: client)
    await worker.send(.close, [0x03, 0xE8], from: client)
    await worker.turn()
    #expect(try await worker.received(by: client).last == .close(1000))
    #expect(await worker.openSockets == 1)
    await worker.advance(.seconds(2))
    await worker.sweep()
    #expect(await worker.openSockets == 0)
  }

  @Test("If a peer violates RFC 6455, its socket is closed with 1002, and its later bytes are ignored")
  func violation() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    _ = try await worker.received(by: client)
    // A frame without a mask (RFC 6455 section 5.1).
    await worker.sendRaw([0x82, 0x01, 0x00], from: client)
    await worker.turn()
    #expect(try await worker.received(by: client) == [.close(1002)])
    #expect(await !worker.isOpen(client))
  }

  @Test("If a message is not complete within `messageSeconds`, its socket is closed")
  func incompleteMessage() async throws {
    let worker = try ComponentWorker { $0.messageSeconds = 10 }
    try await worker.makeSession()
    let client = try await worker.join()
    _ = try await worker.received(by: client)
    // The first half of a masked frame of two bytes.
    await worker.sendRaw([0x82, 0x82, 0, 0, 0, 0, 1], from: client)
    await worker.advance(.seconds(9))
    await worker.sweep()
    #expect(await worker.isOpen(client))
    await worker.advance(.seconds(1))
    await worker.sweep()
    #expect(await !worker.isOpen(client))
  }

  @Test("Invalid control messages are answered with errors; after ten in a row, the socket is closed")
  func faultyControlMessages() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    _ = try await worker.received(by: client)
    for _ in 0..<9 { await worker.send(.text, Array("no JSON".utf8), from: client) }
    await worker.turn()
    let errors = try await worker.received(by: client)
    #expect(errors.count == 9)
    #expect(await worker.isOpen(client))
    await worker.send(.text, Array("no JSON".utf8), from: client)
    await worker.turn()
    #expect(await !worker.isOpen(client))
  }
}
