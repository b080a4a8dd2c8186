import TestSupport
import Testing
import Platform

@Suite("Threads")
struct SystemThreadTests {
  // That its memory is given back, the thread sanitizer shows.
  @Test("One that is let go runs to its end, and nobody waits for it", arguments: [false, true])
  func detached(isLetGoFirst: Bool) throws {
    let begin = Queue<Bool>()
    let end = Queue<Bool>()
    let thread = try SystemThread(name: "test-let-go") { end.put(begin.next()) }
    if isLetGoFirst {
      thread.detach()
      // It still runs: a join that waits would not return.
      thread.join()
    }
    begin.put(true)
    #expect(end.next())
    thread.detach()
    thread.join()
  }
}
