import GroupActivities
import Testing

@testable import drawtogether

@Suite("Events that the command `tail` prints")
struct TailFilterTests {
  @Test("The event `live` is printed after the first catch-up, and again after each reconnect")
  func back() {
    var filter = TailFilter(sinceStart: false)
    let events: [GroupSessionEntry] = [
      .catchUp(isSnapshot: true), .caughtUp, .catchUp(isSnapshot: true), .caughtUp, .away,
      .catchUp(isSnapshot: false), .caughtUp, .catchUp(isSnapshot: true), .caughtUp,
    ]
    #expect(events.map { filter.passes($0) } == [false, true, false, false, true, false, true, false, false])
  }
}
