import Combine
import Testing

@Suite("values: publishers as asynchronous sequences")
struct ValuesTests {
  final class Counter: ObservableObject, @unchecked Sendable {
    // `@Published` is behind its own lock.
    @Published var count = 0
  }

  @Test("the present value comes first, and one that is set while nobody waits is not missed")
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

  @Test("the end ends it, an error is thrown once")
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

  @Test("cancelling the task that waits ends its loop, and nobody is subscribed after it")
  func isCancelled() async {
    let counter = Counter()
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      var seen: [Int] = []
      for await value in counter.$count.values {
        seen.append(value)
        start.finish()
      }
      return seen
    }
    for await _ in started {}
    task.cancel()
    #expect(await task.value == [0])
    counter.count = 1
  }

  @Test("on the main actor, where models live")
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
