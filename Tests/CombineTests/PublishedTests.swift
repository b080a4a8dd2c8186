@testable import Combine
import Testing

@Suite("@Published in model code for Apple's systems")
struct PublishedTests {
  final class Canvas: ObservableObject {
    @Published var count = 0
    @Published var name: String?
    @Published var copy = 0
  }

  @Test("a value is published before it is stored, and a new subscriber gets the current value")
  func publishesFirst() {
    let canvas = Canvas()
    var seen: [[Int]] = []
    let watching = canvas.$count.sink { [unowned canvas] in seen.append([$0, canvas.count]) }
    canvas.count = 1
    canvas.count = 2
    #expect(seen == [[0, 0], [1, 0], [2, 1]])
    #expect(canvas.count == 2)
    watching.cancel()
    canvas.count = 3
    #expect(seen.count == 3)
  }

  @Test("a sink receives a new set before the property stores it, so the sink can find the added elements")
  func newcomers() {
    final class Session: ObservableObject {
      @Published var active: Set<Int> = [1]
    }
    let session = Session()
    var subscriptions = Set<AnyCancellable>()
    var newcomers: [Set<Int>] = []
    session.$active.sink { newcomers.append($0.subtracting(session.active)) }.store(in: &subscriptions)
    session.active.insert(2)
    session.active = [1, 2, 3, 4]
    session.active.remove(1)
    #expect(newcomers == [[], [2], [3, 4], []])
  }

  @Test("the value nil of an optional property is published")
  func publishesNil() {
    let canvas = Canvas()
    var seen: [String?] = []
    let watching = canvas.$name.sink { seen.append($0) }
    canvas.name = "Ada"
    canvas.name = nil
    #expect(seen == [nil, "Ada", nil])
    watching.cancel()
  }

  @Test("objectWillChange publishes before each property change, and on send()")
  func objectWillChange() {
    let canvas = Canvas()
    var seen: [Int] = []
    let watching = canvas.objectWillChange.sink { seen.append(canvas.count) }
    canvas.count = 1
    canvas.count = 2
    canvas.name = "Ada"
    canvas.objectWillChange.send()
    #expect(seen == [0, 1, 2, 2])
    #expect(canvas.objectWillChange === canvas.objectWillChange)
    watching.cancel()
  }

  @Test("if a class declares its own objectWillChange, its @Published properties do not send it")
  func ownPublisher() {
    final class Own: ObservableObject {
      let objectWillChange = PassthroughSubject<Void, Never>()
      @Published var ignored = 0
      var value = 0 { willSet { objectWillChange.send() } }
    }
    let own = Own()
    var count = 0
    let watching = own.objectWillChange.sink { count += 1 }
    own.ignored = 1
    #expect(count == 0)
    own.value = 1
    #expect(count == 1)
    watching.cancel()
  }

  @Test("an object that had subscribers is deallocated, and its publisher too")
  func isFreed() {
    final class Empty: ObservableObject {}
    weak var gone: Canvas?
    weak var publisher: ObservableObjectPublisher?
    do {
      let canvas = Canvas()
      gone = canvas
      publisher = canvas.objectWillChange
      _ = canvas.$count.sink { _ in }
    }
    #expect(gone == nil)
    // Publishers of released objects are removed when publishers of other objects are created.
    var held: [Empty] = []
    for _ in 0..<10_000 where publisher != nil {
      held.append(Empty())
      _ = held.last?.objectWillChange
    }
    #expect(publisher == nil, "the publisher of a released object still exists")
  }

  @Test("the table of objectWillChange publishers drops the entries of deallocated objects")
  func tableIsBounded() {
    let before = ObjectPublisherTable.shared.count
    for _ in 0..<5000 {
      let canvas = Canvas()
      let watching = canvas.objectWillChange.sink {}
      canvas.count += 1
      watching.cancel()
    }
    #expect(ObjectPublisherTable.shared.count <= 2 * before + 128)
  }

  @Test("assign(to:on:) sets a property, and assign(to:) sets a @Published property")
  func assigns() {
    let source = Canvas()
    let target = Canvas()
    let assigning = source.$count.map { $0 * 2 }.assign(to: \.count, on: target)
    source.$count.map { $0 * 3 }.assign(to: &target.$copy)
    source.count = 5
    #expect(target.count == 10)
    #expect(target.copy == 15)
    assigning.cancel()
    source.count = 6
    #expect(target.count == 10)
    #expect(target.copy == 18)
  }

  @Test("assign(to:) publishes objectWillChange before it sets the property")
  func assignSays() {
    let source = PassthroughSubject<Int, Never>()
    let canvas = Canvas()
    var seen: [Int] = []
    let watching = canvas.objectWillChange.sink { seen.append(canvas.copy) }
    source.assign(to: &canvas.$copy)
    #expect(seen == [], "assigning a publisher does not change the property yet")
    source.send(5)
    source.send(6)
    #expect(seen == [0, 5])
    #expect(canvas.copy == 6)
    watching.cancel()
  }

  @Test("assign(to:) retains neither the property nor its object")
  func assignHoldsNothing() {
    let source = CurrentValueSubject<Int, Never>(1)
    weak var gone: Canvas?
    do {
      let canvas = Canvas()
      gone = canvas
      source.assign(to: &canvas.$copy)
      #expect(canvas.copy == 1)
    }
    #expect(gone == nil)
    source.send(2)
  }

  @Test("a subscriber added while a value is published receives that value too")
  func subscribesWithin() {
    let canvas = Canvas()
    var late: [Int] = []
    var subscriptions: Set<AnyCancellable> = []
    canvas.$count.sink { value in
      guard value == 1 else { return }
      canvas.$count.sink { late.append($0) }.store(in: &subscriptions)
    }
    .store(in: &subscriptions)
    canvas.count = 1
    #expect(late == [0, 1])
  }

  @Test("a value set in a sink is published after the current value, in the same order to all subscribers")
  func setsWithin() {
    let canvas = Canvas()
    var subscriptions: [AnyCancellable] = []
    var first: [Int] = []
    var second: [Int] = []
    canvas.$count.sink { value in
      first.append(value)
      if value == 1 { canvas.count = 2 }
    }
    .store(in: &subscriptions)
    canvas.$count.sink { second.append($0) }.store(in: &subscriptions)
    canvas.count = 1
    #expect(first == [0, 1, 2])
    #expect(second == [0, 1, 2])
    #expect(canvas.count == 2, "the value published last stays stored")
  }

  @Test("a sink can cancel itself and other subscriptions")
  func cancelsWithin() {
    let canvas = Canvas()
    var subscriptions: Set<AnyCancellable> = []
    var count = 0
    for _ in 0..<3 {
      canvas.$count.dropFirst().sink { _ in
        count += 1
        subscriptions = []
      }
      .store(in: &subscriptions)
    }
    canvas.count = 1
    canvas.count = 2
    #expect(count == 1)
  }

  @Test("a cancelled sink releases the captures of its closure")
  func releases() {
    final class Token {}
    let canvas = Canvas()
    weak var held: Token?
    var watching: AnyCancellable?
    do {
      let token = Token()
      held = token
      watching = canvas.$count.sink { _ in _ = token }
    }
    #expect(held != nil)
    watching?.cancel()
    #expect(held == nil)
  }
}
