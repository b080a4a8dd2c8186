internal import Platform
internal import Primitives

/// A first-in, first-out queue whose elements share a limited time in each turn.
///
/// The time limit bounds the delay that one queue causes for other work of the turn. An element that was not served in a turn
/// stays before elements that arrive later.
final class FairQueue<Element> {
  /// The minimum time slice of one element.
  private static var leastShare: Duration { .microseconds(50) }

  private let elements = TurnList<Element>()
  private let now: () -> MonotonicTime

  /// Creates an empty queue.
  ///
  /// - Parameter now: reads the time.
  init(now: @escaping () -> MonotonicTime = MonotonicTime.now) {
    self.now = now
  }

  var isEmpty: Bool { elements.isEmpty }

  func append(_ element: Element) {
    elements.append(element)
  }

  /// Serves the waiting elements in their order, until the time is used up. Elements that are appended during the call wait for
  /// the next call.
  ///
  /// - Parameters:
  ///   - time: the time for all elements together. Each element should use at most an equal share.
  ///   - mayServe: returns true if the next element may be served. `isFirst` is true for the first element of the call. `hasTime`
  ///     is true while some of the time is left.
  ///   - body: serves an element. `shareEnd` is the end of the element's time slice.
  func serve(
    for time: Duration, mayServe: (_ isFirst: Bool, _ hasTime: Bool) -> Bool = { $0 || $1 },
    _ body: (Element, _ shareEnd: MonotonicTime) -> Void
  ) {
    guard !elements.isEmpty else { return }
    let nanoseconds = time.wholeNanoseconds
    let share = max(Self.leastShare.wholeNanoseconds, nanoseconds / Int64(elements.count))
    let end = now().nanoseconds + nanoseconds
    elements.serve { element, isFirst in
      let begin = now().nanoseconds
      guard mayServe(isFirst, begin < end) else { return false }
      body(element, MonotonicTime(nanoseconds: begin + share))
      return true
    }
  }
}
