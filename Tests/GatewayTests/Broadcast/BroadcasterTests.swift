import Networking
import Primitives
import SessionCore
import Testing
import Wire

@testable import Gateway

@Suite("Broadcaster sends the entries of each turn to the members, and has them saved")
struct BroadcasterTests {
  @Test("All entries of a turn are sent to each member with one `send` call, in the order of the entries")
  func oneSend() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    var clients: [Int] = []
    for _ in 0..<3 { clients.append(try await worker.join()) }
    await worker.turn()
    for client in clients { _ = try await worker.received(by: client) }
    let sends = await worker.sendCalls
    await worker.draw([1], from: clients[0])
    await worker.draw([2], from: clients[1])
    await worker.draw([3], from: clients[0])
    await worker.turnOnce()
    #expect(await worker.sendCalls == sends + 3)
    for client in clients {
      #expect(try await worker.entriesAndCloses(of: client) == [.entries([[1], [2], [3]])])
    }
  }

  @Test(
    "While memory is tight, a member with TLS gets the whole of a long entry, even if no other entry follows"
  )
  func tightMemory() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let (drawing, watching) = (try await worker.join(), try await worker.join(isSecure: true))
    await worker.turn()
    _ = try await worker.received(by: watching)
    await worker.makeMemoryTight()
    let stroke = [UInt8](repeating: 7, count: 10_000)
    await worker.draw(stroke, from: drawing)
    await worker.turn()
    #expect(try await worker.entriesAndCloses(of: watching) == [.entries([stroke])])
  }

  @Test("With a flush interval, new entries are sent as soon as the interval since the last flush has passed")
  func pacing() async throws {
    let worker = try ComponentWorker(flushInterval: .milliseconds(20))
    try await worker.makeSession()
    let (drawing, watching) = (try await worker.join(), try await worker.join())
    await worker.advance(.milliseconds(20))
    await worker.turn()
    await worker.advance(.milliseconds(20))
    _ = try await worker.received(by: watching)
    await worker.draw([1], from: drawing)
    await worker.turnOnce()
    #expect(try await worker.entriesAndCloses(of: watching) == [.entries([[1]])])
    await worker.draw([2], from: drawing)
    await worker.turnOnce()
    await worker.advance(.milliseconds(19))
    await worker.draw([3], from: drawing)
    await worker.turnOnce()
    #expect(try await worker.entriesAndCloses(of: watching).isEmpty)
    #expect(await worker.nextFlush == worker.now + .milliseconds(1))
    await worker.advance(.milliseconds(1))
    await worker.turnOnce()
    #expect(try await worker.entriesAndCloses(of: watching) == [.entries([[2], [3]])])
  }

  @Test(
    "A member whose socket is full delays no other member, and gets the remaining entries when the socket has room"
  )
  func blockedMember() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let (drawing, slow) = (try await worker.join(), try await worker.join())
    _ = try await (worker.received(by: drawing), worker.received(by: slow))
    let payload = [UInt8](repeating: 7, count: 16_000)
    for _ in 0..<40 {
      await worker.advance(.seconds(1))
      await worker.draw(payload, from: drawing)
      await worker.turn()
      #expect(try await worker.entriesAndCloses(of: drawing) == [.entries([payload])])
    }
    var received = 0
    for _ in 0..<100 where received < 40 {
      for case .entries(let all) in try await worker.received(by: slow) { received += all.count }
      await worker.becomeWritable(slow)
      await worker.turnOnce()
    }
    #expect(received == 40)
  }

  @Test("A session is saved even if it gets input in every turn")
  func storedWhileBusy() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    await worker.turn()
    let batches = worker.store.appends.count
    for number in 0..<40 {
      await worker.draw([UInt8(number)], from: client)
      await worker.advance(.milliseconds(10))
      await worker.turnOnce()
      _ = try await worker.received(by: client)
    }
    #expect(worker.store.appends.count > batches)
  }

  @Test("The buffers of a session are released when the session was not flushed between two sweeps")
  func sweep() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    #expect(await worker.sweptSessions == 1)
    await worker.sweep()
    #expect(await worker.sweptSessions == 1, "the join was flushed since the last sweep")
    await worker.sweep()
    #expect(await worker.sweptSessions == 0)
    await worker.draw([1], from: client)
    await worker.turn()
    #expect(await worker.sweptSessions == 1)
  }
}

extension ComponentWorker {
  fileprivate var sweptSessions: Int { broadcaster.buffered.count }
}
