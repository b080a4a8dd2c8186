import Combine
import Dispatch
import Synchronization
import Testing

@Suite("From many threads at once")
struct ThreadTests {
  final class Counter: ObservableObject, @unchecked Sendable {
    // `@Published` is behind its own lock.
    @Published var value = 0
  }

  /// Seen by one sink, which is told by one thread at a time.
  private final class Seen: @unchecked Sendable {
    var values: [Int] = []
  }

  @Test("everyone sees all values, in one and the same order, and the last one stays")
  func sameOrder() {
    let counter = Counter()
    let seen = (0..<3).map { _ in Seen() }
    let subscriptions = seen.map { seen in counter.$value.sink { seen.values.append($0) } }
    let (threads, each) = (4, 500)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for step in 1...each { counter.value = thread * each + step }
    }
    for seen in seen {
      #expect(seen.values.count == threads * each + 1)
      #expect(Set(seen.values) == Set(0...threads * each))
      for thread in 0..<threads {
        let own = seen.values.filter { $0 > thread * each && $0 <= (thread + 1) * each }
        #expect(own == own.sorted(), "one thread's values came in another order")
      }
    }
    #expect(seen.allSatisfy { $0.values == seen[0].values }, "two sinks saw different orders")
    #expect(counter.value == seen[0].values.last)
    subscriptions.forEach { $0.cancel() }
  }

  @Test("subscribers come and go while values are published")
  func comeAndGo() {
    let subject = PassthroughSubject<Int, Never>()
    let told = Atomic<Int>(0)
    let steady = Seen()
    let watching = subject.sink { steady.values.append($0) }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<500 {
        if thread == 0 {
          subject.send(step)
        } else {
          subject.sink { _ in told.add(1, ordering: .relaxed) }.cancel()
        }
      }
    }
    #expect(steady.values == Array(0..<500))
    watching.cancel()
  }

  @Test("objects are asked for their publishers, change and go on many threads")
  func objectsComeAndGo() {
    let shared = Counter()
    let told = Atomic<Int>(0)
    let watching = shared.objectWillChange.sink { told.add(1, ordering: .relaxed) }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<200 {
        let own = Counter()
        let watching = own.objectWillChange.sink {}
        own.value += 1
        shared.value = 1
        watching.cancel()
      }
    }
    #expect(told.load(ordering: .relaxed) == 800)
    watching.cancel()
  }
}
