/// Elements with deadlines, the earliest first. Elements with equal deadlines keep the order of their insertion.
///
/// The queue is a binary heap. It may contain an element several times.
@frozen @usableFromInline
package struct DeadlineQueue<Element> {
  @usableFromInline var items: [(at: MonotonicTime, order: UInt64, element: Element)] = []
  /// The number of elements that were ever inserted. It numbers the elements, so that elements with equal deadlines keep their
  /// order.
  @usableFromInline var insertions: UInt64 = 0

  /// Creates an empty queue.
  @inlinable
  package init() {}

  /// The earliest deadline; nil if the queue is empty.
  @inlinable
  package var earliest: MonotonicTime? { items.first?.at }

  /// The number of elements; an element that was inserted several times counts several times.
  @inlinable
  package var count: Int { items.count }

  /// Adds an element with a deadline.
  @inlinable
  package mutating func insert(_ element: Element, at deadline: MonotonicTime) {
    items.append((deadline, insertions, element))
    insertions += 1
    moveUp(items.count - 1)
  }

  /// Removes and returns the element with the earliest deadline. Returns nil if that deadline is later than `now`.
  @inlinable
  package mutating func popDue(at now: MonotonicTime) -> Element? {
    guard let earliest, earliest <= now, let first = items.first else { return nil }
    removeItem(0)
    return first.element
  }

  @inlinable
  mutating func removeItem(_ index: Int) {
    items.swapAt(index, items.count - 1)
    items.removeLast()
    if index < items.count {
      moveUp(index)
      moveDown(index)
    }
  }

  @inlinable
  mutating func moveUp(_ index: Int) {
    var child = index
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { return }
      items.swapAt(child, parent)
      child = parent
    }
  }

  @inlinable
  mutating func moveDown(_ index: Int) {
    var parent = index
    while true {
      var first = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < items.count {
        if isBefore(child, first) { first = child }
      }
      guard first != parent else { return }
      items.swapAt(parent, first)
      parent = first
    }
  }

  @inlinable
  func isBefore(_ one: Int, _ other: Int) -> Bool {
    items[one].at == items[other].at
      ? items[one].order < items[other].order : items[one].at < items[other].at
  }
}

extension DeadlineQueue where Element: Equatable {
  /// Removes one occurrence of an element with this deadline, if there is one. Compares every item of the queue.
  @inlinable
  package mutating func remove(_ element: Element, at deadline: MonotonicTime) {
    guard let index = items.firstIndex(where: { $0.at == deadline && $0.element == element }) else { return }
    removeItem(index)
  }
}

extension DeadlineQueue: Sendable where Element: Sendable {}
