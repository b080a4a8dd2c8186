import Primitives
import Testing

@Suite("DeadlineQueue returns elements at their deadlines, in the order of the deadlines")
struct DeadlineQueueTests {
  private func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

  @Test("An element is returned at its deadline and not before")
  func due() {
    var queue = DeadlineQueue<String>()
    #expect(queue.earliest == nil)
    #expect(queue.popDue(at: .distantFuture) == nil)
    queue.insert("later", at: time(20))
    queue.insert("first", at: time(10))
    #expect(queue.earliest == time(10))
    #expect(queue.popDue(at: time(9)) == nil)
    #expect(queue.popDue(at: time(10)) == "first")
    #expect(queue.popDue(at: time(19)) == nil)
    #expect(queue.popDue(at: time(99)) == "later")
    #expect(queue.earliest == nil)
  }

  @Test("Elements with equal deadlines are returned in the order of their insertion")
  func order() {
    var queue = DeadlineQueue<Int>()
    for number in 0..<100 { queue.insert(number, at: time(Int64(number % 2))) }
    var even: [Int] = []
    while let number = queue.popDue(at: time(0)) { even.append(number) }
    #expect(even == Array(stride(from: 0, to: 100, by: 2)))
    var odd: [Int] = []
    while let number = queue.popDue(at: time(1)) { odd.append(number) }
    #expect(odd == Array(stride(from: 1, to: 100, by: 2)))
  }

  @Test("An element is removed only if both the element and its deadline are given correctly")
  func removal() {
    var queue = DeadlineQueue<Int>()
    queue.insert(1, at: time(5))
    queue.insert(2, at: time(5))
    queue.insert(1, at: time(7))
    queue.remove(1, at: time(6))
    queue.remove(3, at: time(5))
    queue.remove(1, at: time(5))
    #expect(queue.popDue(at: time(9)) == 2)
    #expect(queue.popDue(at: time(9)) == 1)
    #expect(queue.popDue(at: time(9)) == nil)
  }

  @Test("After random insertions and removals, the queue equals a sorted array", arguments: 0..<20)
  func agreement(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func below(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    var queue = DeadlineQueue<Int>()
    var model: [(at: MonotonicTime, element: Int)] = []
    for step in 0..<2_000 {
      switch below(4) {
      case 0, 1:
        let deadline = time(Int64(below(50)))
        queue.insert(step, at: deadline)
        model.insert((deadline, step), at: model.firstIndex { $0.at > deadline } ?? model.count)
      case 2:
        guard !model.isEmpty else { continue }
        let item = model.remove(at: below(model.count))
        queue.remove(item.element, at: item.at)
      default:
        let now = time(Int64(below(50)))
        let expected = model.first.flatMap { $0.at <= now ? $0.element : nil }
        if expected != nil { model.removeFirst() }
        #expect(queue.popDue(at: now) == expected)
      }
      #expect(queue.earliest == model.first?.at)
    }
  }
}
