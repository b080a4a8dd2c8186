import Synchronization
import TestSupport
import Testing
import Networking
import Platform
import Primitives

@Suite("The event loop runs turns for events, deadlines and wake-ups")
struct EventLoopThreadTests {
  @Test("A wake-up from another thread causes a turn, and many wake-ups before a turn cause only one")
  func wake() async throws {
    let loop = try EventLoopThread(name: "test-wake")
    let turns = Queue<Int>()
    try loop.start { events, _ in
      turns.put(events.count)
      return nil
    }
    #expect(turns.next() == 0, "the first turn runs without a wake-up")
    for _ in 0..<100 {
      loop.wake()
      #expect(turns.next() == 0)
    }
    loop.stop()
    loop.join()
  }

  @Test("The next turn runs at the deadline that a turn returned, not earlier")
  func deadline() throws {
    let loop = try EventLoopThread(name: "test-deadline")
    let late = Queue<Duration>()
    let due = Guarded<MonotonicTime?>(nil)
    try loop.start { _, _ in
      let now = MonotonicTime.now()
      return due.withLock { due in
        if let due { late.put(now - due) }
        due = now + .milliseconds(2)
        return due
      }
    }
    for _ in 0..<10 { #expect(late.next() >= .zero) }
    loop.stop()
    loop.join()
  }

  @Test(
    "If a turn returns a deadline in the past, the next turn runs immediately and receives the events that have arrived"
  )
  func pastDeadline() throws {
    let loop = try EventLoopThread(name: "test-slice")
    let count = Atomic(0)
    let done = Queue<Bool>()
    try loop.start { _, _ in
      let turns = count.add(1, ordering: .relaxed).newValue
      if turns == 1000 { done.put(true) }
      return turns < 1000 ? .distantPast : nil
    }
    #expect(done.next())
    loop.stop()
    loop.join()
    #expect(count.load(ordering: .relaxed) <= 1001)
  }

  @Test(
    "An actor of the loop runs on the loop's thread; a turn can call it synchronously, and other threads can await it"
  )
  func isolation() async throws {
    let loop = try EventLoopThread(name: "test-actor")
    let counter = Counter(loop: loop)
    try loop.start { _, _ in
      counter.turn()
      return nil
    }
    for expected in 1...100 {
      #expect(await counter.increment() == expected)
    }
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { _ = await counter.increment() }
      }
    }
    #expect(await counter.value == 200)
    #expect(await counter.turns > 0)
    #expect(!loop.isOnLoop)
    #expect(loop.isIsolatingCurrentContext() == false)
    loop.stop()
    loop.join()
  }

  @Test("The closure given to `startThread` can run the whole loop inside a single call of an actor")
  func enteredOnce() async throws {
    let loop = try EventLoopThread(name: "test-body")
    let counter = Counter(loop: loop)
    try loop.startThread { counter.runLoop() }
    for expected in 1...100 {
      #expect(await counter.increment() == expected)
    }
    #expect(await counter.turns > 0)
    loop.stop()
    loop.join()
    #expect(!loop.isOnLoop)
  }

  @Test("A turn receives the time at which the jobs before it began, or nil if no job ran before it")
  func jobsBegan() async throws {
    let loop = try EventLoopThread(name: "test-jobs")
    let counter = Counter(loop: loop)
    let told = Queue<MonotonicTime?>()
    try loop.start { _, jobsBegan in
      told.put(jobsBegan)
      return nil
    }
    #expect(told.next() == nil)
    let before = MonotonicTime.now()
    let ran = await counter.time()
    let began = try #require(told.next())
    #expect(before <= began && began <= ran)
    loop.wake()
    #expect(told.next() == nil)
    loop.stop()
    loop.join()
  }

  @Test("Jobs that were enqueued before the loop started are run")
  func stopRunsJobs() async throws {
    let loop = try EventLoopThread(name: "test-stop")
    let counter = Counter(loop: loop)
    let tasks = (0..<50).map { _ in Task { await counter.increment() } }
    loop.wake()
    try loop.start { _, _ in nil }
    for task in tasks { _ = await task.value }
    loop.stop()
    loop.join()
  }

  @Test("One event reports both data and the end of the stream, and no event follows")
  func hangUpWithData() throws {
    let pair = try TCP.pair()
    let (client, server) = (Socket(pair.client.rawValue), Socket(pair.server.rawValue))
    #expect(client.send([1, 2, 3].span) == .sent(3))
    try client.shutdownWrite()
    #expect(try server.wait(until: .readable, atMost: .seconds(10)))
    let loop = try EventLoopThread(name: "test-hangup")
    let seen = Queue<ReadyEvent>()
    try loop.register(server.descriptor, token: 7)
    try loop.start { events, _ in
      for event in events { seen.put(event) }
      return nil
    }
    var event = seen.next()
    // The data and the end of the stream are two TCP segments, so they may be reported in two events.
    if !event.hasHungUp { event = seen.next() }
    #expect(event == ReadyEvent(token: 7, isReadable: true, isWritable: true, hasHungUp: true))
    var buffer = [UInt8](repeating: 0, count: 64)
    #expect(server.receive(into: &buffer) == .received(3))
    #expect(buffer.prefix(3) == [1, 2, 3])
    #expect(server.receive(into: &buffer) == .endOfStream)
    try loop.deregister(server.descriptor)
    #expect(throws: SystemError("epoll_ctl", code: 2)) { try loop.deregister(server.descriptor) }
    loop.stop()
    loop.join()
  }

  @Test("An event reports when a full socket becomes writable again")
  func writable() throws {
    let pair = try TCP.pair()
    let (client, server) = (Socket(pair.client.rawValue), Socket(pair.server.rawValue))
    let loop = try EventLoopThread(name: "test-writable")
    let seen = Queue<ReadyEvent>()
    try loop.register(server.descriptor, token: 1)
    try loop.start { events, _ in
      for event in events { seen.put(event) }
      return nil
    }
    #expect(seen.next().isWritable, "after the registration, an event reports that the socket is writable")
    let chunk = [UInt8](repeating: 0x5a, count: 65536)
    var sent = 0
    filling: while true {
      switch server.send(chunk.span) {
      case .sent(let count): sent += count
      case .wouldBlock: break filling
      case .failed(let error): throw error
      }
    }
    var buffer = [UInt8](repeating: 0, count: 65536)
    var received = 0
    while received < sent {
      #expect(try client.wait(until: .readable, atMost: .seconds(10)))
      if case .received(let count) = client.receive(into: &buffer) { received += count }
    }
    #expect(seen.next().isWritable)
    loop.stop()
    loop.join()
  }
}

/// A counter on an event loop.
private actor Counter {
  private let loop: EventLoopThread
  private(set) var value = 0
  private(set) var turns = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  init(loop: EventLoopThread) {
    self.loop = loop
  }

  nonisolated func turn() {
    assumeIsolated { $0.turns += 1 }
  }

  nonisolated func runLoop() {
    assumeIsolated { counter in
      counter.loop.run { _, _ in
        counter.turns += 1
        return nil
      }
    }
  }

  func time() -> MonotonicTime { .now() }

  func increment() -> Int {
    #expect(loop.isOnLoop)
    value += 1
    return value
  }
}
