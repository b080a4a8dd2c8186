import TestSupport
import Testing
import Platform

@Suite("A thread of the system runs to its end and is freed")
struct SystemThreadTests {
  // If the thread's memory were not freed, the thread sanitizer would report this.
  @Test("A detached thread runs to its end, even if no thread joins it", arguments: [false, true])
  func detached(isLetGoFirst: Bool) throws {
    let begin = Queue<Bool>()
    let end = Queue<Bool>()
    let thread = try SystemThread(name: "test-let-go") { end.put(begin.next()) }
    if isLetGoFirst {
      thread.detach()
      // The thread still runs. If `join` waited for the thread, `join` would never return.
      thread.join()
    }
    begin.put(true)
    #expect(end.next())
    thread.detach()
    thread.join()
  }
}
