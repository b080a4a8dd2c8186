import Combine
import Synchronization
import Testing

@Suite("`values` makes a publisher an asynchronous sequence")
struct ValuesTests {
  final class Counter: ObservableObject, @unchecked Sendable {
    // The class is `Sendable` because `@Published` accesses the property under a lock.
    @Published var count = 0
  }

  @Test(
    "the sequence yields the current value first, then the newest value that was set while no reader waited")
  func newestValue() async {
    let counter = Counter()
    var iterator = counter.$count.values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    counter.count = 1
    counter.count = 2
    #expect(await iterator.next() == 2)
    let later = Task { counter.count = 3 }
    #expect(await iterator.next() == 3)
    await later.value
  }

  @Test(
    "the sequence ends when the publisher finishes; if the publisher fails, the sequence throws its error once and then ends"
  )
  func ends() async throws {
    struct Fault: Error, Equatable {}
    let finishing = CurrentValueSubject<Int, Never>(1)
    var values = finishing.values.makeAsyncIterator()
    #expect(await values.next() == 1)
    finishing.send(completion: .finished)
    #expect(await values.next() == nil)

    let failing = CurrentValueSubject<Int, Fault>(1)
    var thrown = failing.values.makeAsyncIterator()
    #expect(try await thrown.next() == 1)
    failing.send(completion: .failure(Fault()))
    await #expect(throws: Fault()) { try await thrown.next() }
    #expect(try await thrown.next() == nil)
  }

  @Test("cancelling a task that waits for a value in a `for await` loop ends the loop and the subscription")
  func isCancelled() async {
    let endless = Endless()
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      var seen: [Int] = []
      for await value in endless.values {
        seen.append(value)
        start.finish()
      }
      return seen
    }
    for await _ in started {}
    task.cancel()
    #expect(await task.value == [0])
    #expect(endless.subscribed.load(ordering: .relaxed) == 0)
  }

  /// A publisher that sends 0 to each subscriber, never finishes, and counts its subscribers.
  private final class Endless: Publisher, Sendable {
    typealias Output = Int
    typealias Failure = Never
    let subscribed = Atomic<Int>(0)

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subscribed.add(1, ordering: .relaxed)
      subscriber.receive(subscription: Place(of: subscriber, in: self))
    }
  }

  private final class Place<S: Subscriber>: Subscription where S.Input == Int {
    private let subscriber: S
    private let publisher: Endless
    private let hasSent = Atomic<Bool>(false)
    private let isCancelled = Atomic<Bool>(false)

    init(of subscriber: S, in publisher: Endless) {
      self.subscriber = subscriber
      self.publisher = publisher
    }

    func request(_ demand: Subscribers.Demand) {
      if !hasSent.exchange(true, ordering: .relaxed) { _ = subscriber.receive(0) }
    }

    func cancel() {
      if !isCancelled.exchange(true, ordering: .relaxed) {
        publisher.subscribed.subtract(1, ordering: .relaxed)
      }
    }
  }

  @Test("a task on the main actor can read the asynchronous sequence of a model on the main actor")
  @MainActor func onMainActor() async throws {
    @MainActor final class Model: ObservableObject {
      @Published var names: Set<String> = []
    }
    let model = Model()
    let watching = Task {
      for try await names in model.$names.values where names.count == 3 { return names }
      return []
    }
    for name in ["Ada", "Ben", "Cleo"] {
      model.names.insert(name)
      await Task.yield()
    }
    #expect(try await watching.value == ["Ada", "Ben", "Cleo"])
  }
}
