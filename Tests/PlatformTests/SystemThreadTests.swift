import TestSupport
import Testing
import Platform

@Suite("Threads")
struct SystemThreadTests {
  // The thread sanitizer shows that its memory is freed.
  @Test("A detached thread runs to its end without a join", arguments: [false, true])
  func detached(isLetGoFirst: Bool) throws {
    let begin = Queue<Bool>()
    let end = Queue<Bool>()
    let thread = try SystemThread(name: "test-let-go") { end.put(begin.next()) }
    if isLetGoFirst {
      thread.detach()
      // The thread still runs: a join that waits would not return.
      thread.join()
    }
    begin.put(true)
    #expect(end.next())
    thread.detach()
    thread.join()
  }
}
