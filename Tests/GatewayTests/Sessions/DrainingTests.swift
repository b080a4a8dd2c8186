import Networking
import Primitives
import SessionCore
import Testing
import WebSocket
import Wire

@testable import Gateway

@Suite("A gateway that drains stores all entries before it closes its sockets")
struct DrainingTests {
  @Test("A drain stores all entries, then closes 128 sockets every 20 ms, and then writes the last records")
  func batches() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    var clients: [Int] = []
    for _ in 0..<130 { clients.append(try await worker.join()) }
    await worker.draw([1], from: clients[0])
    await worker.beginDraining()
    #expect(await worker.openClients(among: clients) == 130)
    await worker.turn()
    #expect(await !worker.continueDraining())
    #expect(await worker.openClients(among: clients) == 2)
    await worker.advance(.milliseconds(19))
    #expect(await !worker.continueDraining())
    #expect(await worker.openClients(among: clients) == 2)
    await worker.advance(.milliseconds(1))
    #expect(await !worker.continueDraining())
    #expect(await worker.openClients(among: clients) == 0)
    #expect(try await worker.received(by: clients[129]).last == .close(1012))
    for client in clients { await worker.send(.close, [0x03, 0xF4], from: client) }
    await worker.advance(.seconds(2))
    await worker.sweep()
    #expect(await worker.openSockets == 0)
    #expect(await !worker.continueDraining())
    await worker.turn()
    #expect(await worker.drainCalls == ["wake", "stop"])
  }

  @Test("A drain waits for open sockets for at most 4.5 s, and ends after at most 7.3 s")
  func deadlines() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    await worker.beginDraining()
    await worker.turn()
    #expect(await !worker.continueDraining())
    #expect(await !worker.isOpen(client))
    #expect(await worker.openSockets == 1)
    await worker.advance(.milliseconds(4499))
    #expect(await !worker.continueDraining())
    #expect(await worker.drainCalls.isEmpty)
    await worker.advance(.milliseconds(1))
    #expect(await !worker.continueDraining())
    await worker.turn()
    #expect(await worker.drainCalls == ["wake", "stop"])
    await worker.advance(.milliseconds(2799))
    #expect(await !worker.continueDraining())
    await worker.advance(.milliseconds(1))
    #expect(await worker.continueDraining(), "the time for the drain is over")
  }

  @Test(
    "A drain waits for connections that linger after their close frame, so that their last answers arrive")
  func lingering() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    await worker.send(.close, [0x03, 0xE8], from: client)
    await worker.turn()
    #expect(await worker.openSockets == 1)
    await worker.beginDraining()
    await worker.turn()
    #expect(await !worker.continueDraining())
    #expect(await worker.drainCalls.isEmpty)
    await worker.advance(.seconds(2))
    await worker.sweep()
    #expect(await !worker.continueDraining())
    #expect(await worker.drainCalls == ["wake"])
  }

  @Test("A client that connects during a drain is asked to reconnect later")
  func newcomer() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    await worker.beginDraining()
    let client = try await worker.connect()
    await worker.turn()
    #expect(try await worker.received(by: client) == [.close(1012)])
  }
}

extension ComponentWorker {
  fileprivate func beginDraining() {
    stopState.isDraining = true
    draining.begin()
  }

  fileprivate func continueDraining() -> Bool { draining.performDueSteps() }

  fileprivate func openClients(among clients: [Int]) -> Int { clients.count { isOpen($0) } }
}
