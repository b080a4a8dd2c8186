/// A list of elements to handle in a turn. Elements that are added while the list is served wait until it is served again.
///
/// The list keeps its memory, so that a turn needs no allocation. To change an array, a function swaps it into a local variable.
/// So no other code can run during an access to a property, and the compiler can remove the run-time exclusivity checks.
final class TurnList<Element> {
  private var elements: [Element] = []
  /// An empty array with the allocated memory of the array that was served last. The next call of `serve` reuses the memory.
  private var spare: [Element] = []

  /// The number of elements above which the memory is freed after the elements were served.
  private static var keptCapacity: Int { 4_096 }

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  func append(_ element: Element) {
    var elements: [Element] = []
    swap(&elements, &self.elements)
    elements.append(element)
    swap(&elements, &self.elements)
  }

  /// Serves the waiting elements in their order.
  ///
  /// - Parameter body: serves an element. Returns false to stop; this element and the ones after it then stay in the list, before
  ///   the elements that were added during the call.
  func serve(_ body: (_ element: Element, _ isFirst: Bool) -> Bool) {
    guard !elements.isEmpty else { return }
    var served: [Element] = []
    swap(&served, &spare)
    swap(&served, &elements)
    var index = 0
    while index < served.count, body(served[index], index == 0) { index += 1 }
    if index < served.count {
      served.removeFirst(index)
      served.append(contentsOf: elements)
      swap(&served, &elements)
    }
    if served.capacity > Self.keptCapacity { served = [] }
    served.removeAll(keepingCapacity: true)
    swap(&served, &spare)
  }
}
