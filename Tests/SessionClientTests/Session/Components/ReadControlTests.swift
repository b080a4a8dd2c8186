import Testing

@testable import SessionClient

@Suite("Pausing and continuing to read a session's messages")
struct ReadControlTests {
  @Test(
    "While reading is paused, a waiting `settle` call lets the client read at most 64 MiB"
  )
  func limit() {
    var control = ReadControl()
    control.count(100 << 20)
    #expect(control.isWanted && control.allowsReadingForMark, "bytes are counted only during a pause")
    control.set(false)
    control.count((64 << 20) - 1)
    #expect(control.allowsReadingForMark)
    control.count(1)
    #expect(!control.allowsReadingForMark)
    control.set(false)
    #expect(control.allowsReadingForMark)
  }

  @Test("`update` returns true only if its argument differs from the argument of the previous call")
  func changes() {
    var control = ReadControl()
    let changes = [true, false, false, true].map { control.update($0) }
    #expect(changes == [false, true, false, true])
  }
}
