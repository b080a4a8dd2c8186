import Combine
import Dispatch
import Testing

@Suite("Subjects publish values to subscribers, directly or through operators")
struct SubjectTests {
  struct Fault: Error, Equatable {}

  @Test(
    "PassthroughSubject sends values to current subscribers, and its completion also to later subscribers")
  func passesThrough() {
    let subject = PassthroughSubject<Int, Fault>()
    var seen: [String] = []
    subject.send(1)
    let watching = subject.sink(
      receiveCompletion: { seen.append("\($0)") }, receiveValue: { seen.append("\($0)") })
    subject.send(2)
    subject.send(completion: .failure(Fault()))
    subject.send(3)
    #expect(seen == ["2", "\(Subscribers.Completion<Fault>.failure(Fault()))"])
    var isFinished = false
    let late = subject.sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { _ in })
    #expect(isFinished)
    watching.cancel()
    late.cancel()
  }

  @Test("CurrentValueSubject stores a new value before it publishes the value")
  func keepsValue() {
    let subject = CurrentValueSubject<Int, Never>(1)
    var seen: [[Int]] = []
    let watching = subject.sink { seen.append([$0, subject.value]) }
    subject.value = 2
    subject.send(3)
    #expect(seen == [[1, 1], [2, 2], [3, 3]])
    watching.cancel()
  }

  @Test("The publisher `Just` sends one value and finishes")
  func just() {
    var seen: [String] = []
    let watching = Just(7).sink(
      receiveCompletion: { seen.append("\($0)") }, receiveValue: { seen.append("\($0)") })
    #expect(seen == ["7", "finished"])
    watching.cancel()
  }

  @Test("Publishers can be chained with operators such as `filter`, `removeDuplicates` and `dropFirst`")
  func operators() {
    let subject = PassthroughSubject<Int, Never>()
    var seen: [String] = []
    let watching = subject.eraseToAnyPublisher()
      .filter { $0 != 4 }
      .removeDuplicates()
      .dropFirst(2)
      .compactMap { $0 == 6 ? nil : $0 }
      .map { "<\($0)>" }
      .map(\.count)
      .map(String.init)
      .sink { seen.append($0) }
    for value in [1, 1, 2, 2, 10, 4, 10, 6, 100] { subject.send(value) }
    #expect(seen == ["4", "5"])
    watching.cancel()
  }

  @Test("a subject forwards the values of another publisher")
  func subscribesSubject() {
    let source = PassthroughSubject<Int, Never>()
    let subject = CurrentValueSubject<Int, Never>(0)
    let passing = source.subscribe(subject)
    source.send(5)
    #expect(subject.value == 5)
    passing.cancel()
    source.send(6)
    #expect(subject.value == 5)
  }

  @Test("receive(on:) delivers values on the queue, in order")
  func receivesOnQueue() async {
    let queue = DispatchQueue(label: "values")
    let subject = PassthroughSubject<Int, Never>()
    let seen: [Int] = await withCheckedContinuation { continuation in
      var seen: [Int] = []
      var watching: AnyCancellable?
      watching = subject.receive(on: queue).sink(
        receiveCompletion: { _ in
          continuation.resume(returning: seen)
          watching?.cancel()
        },
        receiveValue: {
          dispatchPrecondition(condition: .onQueue(queue))
          seen.append($0)
        })
      for value in 0..<1000 { subject.send(value) }
      subject.send(completion: .finished)
    }
    #expect(seen == Array(0..<1000))
  }

  @Test(
    "a subscriber receives only requested values; a later request to CurrentValueSubject gets the newest value"
  )
  func demand() {
    final class Picky: Subscriber {
      typealias Input = Int
      typealias Failure = Never
      var subscription: (any Subscription)?
      var seen: [Int] = []

      func receive(subscription: any Subscription) { self.subscription = subscription }
      func receive(_ input: Int) -> Subscribers.Demand {
        seen.append(input)
        return .none
      }
      func receive(completion: Subscribers.Completion<Never>) {}
    }
    let (passing, keeping) = (Picky(), Picky())
    let (subject, value) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
    subject.subscribe(passing)
    value.subscribe(keeping)
    for number in 1...3 {
      subject.send(number)
      value.send(number)
    }
    passing.subscription?.request(.max(1))
    keeping.subscription?.request(.max(2))
    for number in 4...6 {
      subject.send(number)
      value.send(number)
    }
    #expect(passing.seen == [4])
    #expect(keeping.seen == [3, 4])
    keeping.subscription?.request(.unlimited)
    #expect(keeping.seen == [3, 4, 6])
    #expect(Subscribers.Demand.max(2) + .max(3) == .max(5))
    #expect(Subscribers.Demand.unlimited - .max(3) == .unlimited)
    #expect(Subscribers.Demand.max(2) < .unlimited)
  }

  /// A value that owns a subscription to the subject that publishes the value.
  private final class Node {
    var watching: AnyCancellable?

    init(of subject: CurrentValueSubject<Node?, Never>) {
      watching = subject.sink { _ in }
    }
  }

  @Test("a subject can release a value that owns a subscription to this subject, without a deadlock")
  func lettingGoCallsBack() {
    final class Lazy: Subscriber {
      typealias Input = Node?
      typealias Failure = Never
      func receive(subscription: any Subscription) { subscription.request(.none) }
      func receive(_ input: Node?) -> Subscribers.Demand { .none }
      func receive(completion: Subscribers.Completion<Never>) {}
    }
    #expect(
      ends {
        let subject = CurrentValueSubject<Node?, Never>(nil)
        subject.send(Node(of: subject))
        subject.send(nil)
      }, "the old value is released under the subject's lock")
    #expect(
      ends {
        let subject = CurrentValueSubject<Node?, Never>(nil)
        subject.subscribe(Lazy())
        for _ in 0..<3 { subject.send(Node(of: subject)) }
      }, "a value without demand is released under the subject's lock")
  }

  /// Returns true if the closure returns within 10 s, and false if it has a deadlock.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "attempt").async {
      body()
      done.signal()
    }
    return done.wait(timeout: .now() + .seconds(10)) == .success
  }
}
