import Combine
import Dispatch
import Synchronization
import Testing

@Suite("Publishers and properties can be used on several threads")
struct ThreadTests {
  final class Counter: ObservableObject, @unchecked Sendable {
    // `@Published` has its own lock.
    @Published var value = 0
  }

  /// The values that a sink received. One thread at a time calls the sink.
  private final class Seen: @unchecked Sendable {
    var values: [Int] = []
  }

  @Test(
    "values set by several threads reach all subscribers in one order, and the property keeps the last value"
  )
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
        #expect(own == own.sorted(), "the values of one thread arrived in another order")
      }
    }
    #expect(seen.allSatisfy { $0.values == seen[0].values }, "two sinks received different orders")
    #expect(counter.value == seen[0].values.last)
    subscriptions.forEach { $0.cancel() }
  }

  @Test("while subscriptions are added and cancelled, another subscriber still receives all values in order")
  func comeAndGo() {
    let subject = PassthroughSubject<Int, Never>()
    let callCount = Atomic<Int>(0)
    let steady = Seen()
    let watching = subject.sink { steady.values.append($0) }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<500 {
        if thread == 0 {
          subject.send(step)
        } else {
          subject.sink { _ in callCount.add(1, ordering: .relaxed) }.cancel()
        }
      }
    }
    #expect(steady.values == Array(0..<500))
    watching.cancel()
  }

  @Test(
    "objects can change and be released on several threads, and a shared object's publisher sends each change"
  )
  func objectsComeAndGo() {
    let shared = Counter()
    let callCount = Atomic<Int>(0)
    let watching = shared.objectWillChange.sink { callCount.add(1, ordering: .relaxed) }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<200 {
        let own = Counter()
        let watching = own.objectWillChange.sink {}
        own.value += 1
        shared.value = 1
        watching.cancel()
      }
    }
    #expect(callCount.load(ordering: .relaxed) == 800)
    watching.cancel()
  }
}
