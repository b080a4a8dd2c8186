import Glibc
import Platform

/// Passes values from the thread of an event loop to a test that waits for them.
package final class Queue<Value: Sendable>: Sendable {
  private let values = Guarded<[Value]>([])
  private let (reading, writing): (CInt, CInt)

  package init() {
    var ends: [CInt] = [0, 0]
    let status = unsafe pipe(&ends)
    precondition(status == 0, "a pipe cannot be created")
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  package func put(_ value: Value) {
    values.withLock { $0.append(value) }
    var byte: UInt8 = 0
    let count = unsafe write(writing, &byte, 1)
    precondition(count == 1, "a byte cannot be written to the pipe")
  }

  /// Waits for the next value and returns it.
  package func next() -> Value {
    var byte: UInt8 = 0
    let count = unsafe read(reading, &byte, 1)
    precondition(count == 1, "a byte cannot be read from the pipe")
    return values.withLock { $0.removeFirst() }
  }
}
