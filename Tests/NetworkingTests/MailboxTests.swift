import TestSupport
import Testing
import Networking
import Platform

@Suite("A mailbox passes messages from several threads to an event loop")
struct MailboxTests {
  @Test("All messages that several threads send arrive, and the messages of each thread arrive in order")
  func order() throws {
    let loop = try EventLoopThread(name: "test-mailbox")
    let mailbox = Mailbox<(sender: Int, number: Int)>(waking: loop, capacity: 1_000_000)
    let received = Guarded<[[Int]]>(Array(repeating: [], count: 4))
    let done = Queue<Bool>()
    try loop.start { _, _ in
      mailbox.drain { message in received.withLock { $0[message.sender].append(message.number) } }
      if received.withLock({ $0.allSatisfy { $0.count == 5000 } }) { done.put(true) }
      return nil
    }
    let senders = try (0..<4).map { sender in
      try SystemThread(name: "test-sender") {
        for number in 0..<5000 { #expect(mailbox.enqueue((sender, number))) }
      }
    }
    #expect(done.next())
    for sender in senders { sender.join() }
    loop.stop()
    loop.join()
    for sender in 0..<4 { #expect(received.withLock { $0[sender] } == Array(0..<5000)) }
  }

  @Test("A full mailbox refuses a message, keeps its messages, and accepts more after a drain")
  func limit() throws {
    let mailbox = Mailbox<Int>(waking: try EventLoopThread(name: "test-full"), capacity: 2)
    #expect(mailbox.enqueue(1))
    #expect(mailbox.enqueue(2))
    #expect(!mailbox.enqueue(3))
    var received: [Int] = []
    mailbox.drain { received.append($0) }
    #expect(mailbox.enqueue(4))
    mailbox.drain { received.append($0) }
    mailbox.drain { received.append($0) }
    #expect(received == [1, 2, 4])
  }

  @Test("A message that arrives while the mailbox is being drained stays in the mailbox until the next turn")
  func putWhileDraining() throws {
    let mailbox = Mailbox<Int>(waking: try EventLoopThread(name: "test-reentry"), capacity: 10)
    #expect(mailbox.enqueue(1))
    var received: [Int] = []
    mailbox.drain {
      received.append($0)
      #expect(mailbox.enqueue($0 + 1))
    }
    #expect(received == [1])
    mailbox.drain { received.append($0) }
    #expect(received == [1, 2])
  }

  @Test(
    "A non-Sendable object moves from the actor of one loop to the actor of another loop, together with its descriptor"
  )
  func handover() async throws {
    let pair = try TCP.pair()
    let first = Owner(loop: try EventLoopThread(name: "test-first"))
    let second = Owner(loop: try EventLoopThread(name: "test-second"))
    let arrived = Queue<String>()
    try first.loop.start { _, _ in
      first.turn(arrived)
      return nil
    }
    try second.loop.start { _, _ in
      second.turn(arrived)
      return nil
    }
    #expect(await first.handOver(pair.takeServer(), to: second))
    #expect(arrived.next() == "hello")
    first.loop.stop()
    second.loop.stop()
    first.loop.join()
    second.loop.join()
  }
}

/// A connection that belongs to one loop at a time and is not `Sendable`.
private final class Connection {
  let descriptor: OwnedDescriptor
  var received: [UInt8]

  init(descriptor: consuming OwnedDescriptor, received: [UInt8]) {
    self.descriptor = descriptor
    self.received = received
  }
}

private actor Owner {
  nonisolated let loop: EventLoopThread
  nonisolated let mailbox: Mailbox<Connection>
  private var connections: [Connection] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  init(loop: EventLoopThread) {
    self.loop = loop
    mailbox = Mailbox(waking: loop, capacity: 8)
  }

  nonisolated func turn(_ arrived: Queue<String>) {
    assumeIsolated { owner in
      owner.mailbox.drain { connection in
        arrived.put(String(decoding: connection.received, as: UTF8.self))
        owner.connections.append(connection)
      }
    }
  }

  func handOver(_ descriptor: consuming OwnedDescriptor, to other: Owner) -> Bool {
    other.mailbox.enqueue(Connection(descriptor: descriptor, received: Array("hello".utf8)))
  }
}
