import Testing

@testable import Gateway

@Suite("Placement of new sessions")
struct SessionPlacementTests {
  /// A reactor, reduced to its placement and to the counters from which its load is computed.
  private struct Reactor {
    let counters = ReactorCounters()
    let placement: SessionPlacement

    init(_ number: Int, _ loads: SessionPlacement.Loads) {
      placement = SessionPlacement(loads, reactor: number, counters: counters)
    }

    func publish(sessions: Int64, participants: Int64) {
      counters.values.sessions = sessions
      counters.values.participants = participants
      placement.publishLoad()
    }
  }

  private let loads: SessionPlacement.Loads
  private let reactors: [Reactor]

  init() {
    let loads = SessionPlacement.Loads(reactors: 3)
    self.loads = loads
    reactors = (0..<3).map { Reactor($0, loads) }
  }

  @Test("If no reactor has a lower load, a reactor places a new session on itself", arguments: [0, 1, 2])
  func equal(number: Int) {
    #expect(reactors[number].placement.choose().reactor == number)
    for reactor in reactors { reactor.publish(sessions: 2, participants: 5) }
    #expect(reactors[number].placement.choose().reactor == number)
  }

  @Test("A session is placed on the reactor with the fewest sessions and participants together")
  func lowest() {
    reactors[0].publish(sessions: 1, participants: 9)
    reactors[1].publish(sessions: 8, participants: 0)
    reactors[2].publish(sessions: 3, participants: 4)
    for reactor in reactors { #expect(reactor.placement.choose().reactor == 2) }
    reactors[2].publish(sessions: 3, participants: 6)
    for reactor in reactors { #expect(reactor.placement.choose().reactor == 1) }
    // Eight participants of reactor 0 leave, so that reactor 0 now has the fewest sessions and participants together.
    reactors[0].publish(sessions: 1, participants: 1)
    for reactor in reactors { #expect(reactor.placement.choose().reactor == 0) }
  }

  @Test("Sessions that are being created at the same time are spread evenly over the reactors")
  func pending() {
    let places = (0..<30).map { _ in reactors[1].placement.choose() }
    #expect(loads.all == [10, 10, 10])
    for number in 0..<3 { #expect(places.count { $0.reactor == number } == 10) }
  }

  @Test(
    "The reservation for a new session counts as load of its reactor until the reservation is released")
  func release() {
    var place: SessionPlacement.Place? = reactors[0].placement.place(on: 1)
    #expect(place?.reactor == 1)
    #expect(loads.all == [0, 1, 0])
    #expect(reactors[1].placement.choose().reactor == 0)
    place = nil
    #expect(loads.all == [0, 0, 0])
    #expect(reactors[1].placement.choose().reactor == 1)
  }

  @Test(
    "A reactor that places a new session takes account of its own present load, even if it has not published this load"
  )
  func unpublished() {
    reactors[0].counters.values.sessions = 1
    #expect(reactors[0].placement.choose().reactor == 1)
    #expect(loads.all == [1, 0, 0])
  }
}
