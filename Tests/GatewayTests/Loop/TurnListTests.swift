import Testing

@testable import Gateway

@Suite("TurnList serves each element once, in the order of insertion")
struct TurnListTests {
  private let list = TurnList<Int>()

  private func serve(_ most: Int = .max, adding added: [Int] = []) -> [Int] {
    var served: [Int] = []
    list.serve { element, isFirst in
      #expect(isFirst == served.isEmpty)
      guard served.count < most else { return false }
      if isFirst { for element in added { list.append(element) } }
      served.append(element)
      return true
    }
    return served
  }

  @Test("A TurnList serves its elements once, in the order in which they were added")
  func order() {
    #expect(serve() == [])
    for element in 1...3 { list.append(element) }
    #expect(list.count == 3)
    #expect(serve() == [1, 2, 3])
    #expect(list.isEmpty)
    #expect(serve() == [])
  }

  @Test("An element that is added to a TurnList while the list is served is served in the next call")
  func addedMeanwhile() {
    list.append(1)
    #expect(serve(adding: [2, 3]) == [1])
    #expect(serve() == [2, 3])
  }

  @Test(
    "If serving a TurnList stops early, its unserved elements stay before the elements that were added meanwhile"
  )
  func stop() {
    for element in 1...3 { list.append(element) }
    #expect(serve(1, adding: [4]) == [1])
    #expect(list.count == 3)
    #expect(serve(0) == [])
    #expect(serve() == [2, 3, 4])
  }

  @Test("A TurnList releases its elements after it has served them")
  func release() {
    final class Object {}
    let objects = TurnList<Object>()
    weak var object: Object?
    do {
      let made = Object()
      object = made
      objects.append(made)
    }
    #expect(object != nil)
    objects.serve { _, _ in true }
    #expect(object == nil)
  }
}
