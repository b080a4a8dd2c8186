@testable import Combine
import Testing

@Suite("@Published as Apple's model code uses it")
struct PublishedTests {
  final class Canvas: ObservableObject {
    @Published var count = 0
    @Published var name: String?
    @Published var copy = 0
  }

  @Test("a value is published before it is stored, the present one at once")
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

  @Test("newcomers are what the new set has and the property does not have yet")
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

  @Test("an optional's nil is a value")
  func publishesNil() {
    let canvas = Canvas()
    var seen: [String?] = []
    let watching = canvas.$name.sink { seen.append($0) }
    canvas.name = "Ada"
    canvas.name = nil
    #expect(seen == [nil, "Ada", nil])
    watching.cancel()
  }

  @Test("objectWillChange speaks before any property changes, and when it is told to")
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

  @Test("a class's own objectWillChange is left to the class")
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

  @Test("an object is freed while somebody is subscribed, and its publisher with it")
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
    // Those of objects that are gone are dropped when others are asked for theirs.
    var held: [Empty] = []
    for _ in 0..<10_000 where publisher != nil {
      held.append(Empty())
      _ = held.last?.objectWillChange
    }
    #expect(publisher == nil, "the publisher of an object that is gone is still there")
  }

  @Test("many objects that come and go leave no more than a few publishers")
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

  @Test("assign writes to a property, and to a published one")
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

  @Test("an object says that it changes before a value is assigned to its property")
  func assignSays() {
    let source = PassthroughSubject<Int, Never>()
    let canvas = Canvas()
    var seen: [Int] = []
    let watching = canvas.objectWillChange.sink { seen.append(canvas.copy) }
    source.assign(to: &canvas.$copy)
    #expect(seen == [], "to assign a publisher changes nothing yet")
    source.send(5)
    source.send(6)
    #expect(seen == [0, 5])
    #expect(canvas.copy == 6)
    watching.cancel()
  }

  @Test("what a property is assigned from holds neither it nor its object")
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

  @Test("who subscribes while a value is published is told of that one too")
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

  @Test("a value set within a sink is told after the one that is being told, to everyone in the same order")
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
    #expect(canvas.count == 2, "what was published last is what stays")
  }

  @Test("a sink may cancel itself and everybody else")
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

  @Test("what a cancelled sink held is let go of")
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
