import Combine
import DrawTogetherModel
import Foundation
import GroupActivities
import Testing

extension GatewaySuites {
  /// Several models of Apple's sample in one process. The model does not know of gateways; the tests give it sessions.
  @Suite("The model of Apple's sample")
  struct ModelTests {
    typealias Session = GroupSession<DrawTogetherModel.DrawTogether>

    @Test("strokes reach the other model, and a late joiner gets each stroke once and in order")
    @MainActor func strokes() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (Canvas(strokeColor: .green), Canvas(strokeColor: .pink))
      for canvas in [ada, ben] { try await canvas.joinSession(at: link) }
      let drawn = (0..<200).map { CGPoint(x: Double($0), y: Double($0 % 7)) }
      for (canvas, points) in [(ada, drawn), (ben, Array(drawn.reversed()))] {
        for point in points { canvas.addPointToActiveStroke(point) }
        canvas.finishStroke()
      }
      for canvas in [ada, ben] { try await canvas.waitForStrokes([drawn, drawn.reversed()]) }

      // Cleo receives the strokes twice: from the session, and from the other models. Her model shows each stroke once.
      let cleo = Canvas()
      try await cleo.joinSession(at: link)
      try await cleo.waitForStrokes([drawn, drawn.reversed()])
      cleo.addPointToActiveStroke(CGPoint(x: 1, y: 2))
      for canvas in [ada, ben] {
        try await canvas.waitForStrokes([drawn, drawn.reversed(), [CGPoint(x: 1, y: 2)]])
      }
      try await cleo.waitForStrokes([drawn, drawn.reversed()])
      for canvas in [ada, ben, cleo] { await canvas.groupSession?.leaveAndWait() }
    }

    @Test(
      "a stroke drawn while a participant joins is neither lost nor doubled; the empty canvas that the participant sends does not erase it"
    )
    @MainActor func strokeInProgress() async throws {
      let gateway = try TestGateway()
      for _ in 0..<8 {
        let link = try await gateway.makeLink()
        let (ada, cleo) = (Canvas(strokeColor: .green), Canvas())
        try await ada.joinSession(at: link)
        let ben: Session = try await GroupActivitiesGateway.session(at: link)
        let canvasMessages = GroupSessionMessenger(session: ben).messages(of: CanvasMessage.self)
        ben.join()
        try await ben.$state.waitForValue { $0 == .joined }
        let drawn = (0..<60).map { CGPoint(x: Double($0), y: 1) }
        for point in drawn.prefix(20) { ada.addPointToActiveStroke(point) }
        ada.finishStroke()
        for point in drawn[20..<40] { ada.addPointToActiveStroke(point) }
        try await ada.groupSession?.settle()
        try await cleo.joinSession(at: link)
        let newcomer = try #require(cleo.groupSession?.localParticipant)
        let count = try await withTimeout("the canvas that the newcomer sends") {
          for await (message, context) in canvasMessages where context.source == newcomer {
            return message.pointCount
          }
          return -1
        }
        #expect(count == 0)
        // The model sends its finished strokes to a new participant in one message. It also sends each point in a separate
        // message. If such a point message were sent after the message with the strokes, the new participant would receive the
        // point twice. So the test draws the next points only when the model knows the new participant.
        try await ada.groupSession?.$activeParticipants.waitForValue { $0.contains(newcomer) }
        for point in drawn.suffix(20) { ada.addPointToActiveStroke(point) }
        ada.finishStroke()
        for canvas in [ada, cleo] {
          try await canvas.waitForStrokes([Array(drawn.prefix(20)), Array(drawn.suffix(40))])
        }
        for session in [ada.groupSession, ben, cleo.groupSession] { await session?.leaveAndWait() }
      }
    }

    @Test("an image reaches all participants, late joiners included")
    @MainActor func images() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (Canvas(), Canvas())
      for canvas in [ada, ben] { try await canvas.joinSession(at: link) }
      let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      ada.placeImage(data, at: CGPoint(x: 3, y: 4))
      let cleo = Canvas()
      try await cleo.joinSession(at: link)
      for canvas in [ada, ben, cleo] {
        try await canvas.$images.waitForValue { $0.count == 1 }
        #expect(canvas.images.first?.data == data)
        #expect(canvas.images.first?.location == CGPoint(x: 3, y: 4))
      }
      for canvas in [ada, ben, cleo] { await canvas.groupSession?.leaveAndWait() }
    }

    @Test("a reset creates an empty session and invalidates the old session for the other participants")
    @MainActor func reset() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (Canvas(), Canvas())
      let following = Task { await ada.joinSessions() }
      try await GroupActivitiesGateway.open(link)
      try await ada.$groupSession.waitForValue { $0 != nil }
      let old = try #require(ada.groupSession)
      try await old.$state.waitForValue { $0 == .joined }
      try await ben.joinSession(at: link)
      ben.addPointToActiveStroke(.zero)
      ben.finishStroke()
      try await ada.waitForStrokes([[.zero]])

      ada.reset()
      #expect(ada.strokes.isEmpty)
      try await ada.$groupSession.waitForValue { $0 != nil && $0 !== old }
      let new = try #require(ada.groupSession)
      #expect(new.id != old.id)
      try await new.$state.waitForValue { $0 == .joined }
      #expect(ada.strokes.isEmpty)
      // Ben's model releases the old session and can join the new one.
      try await ben.$groupSession.waitForValue { $0 == nil }
      #expect(ben.strokes.isEmpty)
      try await ben.joinSession(at: new.link)
      ben.addPointToActiveStroke(CGPoint(x: 5, y: 5))
      try await ada.waitForStrokes([[CGPoint(x: 5, y: 5)]])
      following.cancel()
      await new.leaveAndWait()
    }
  }
}

/// The part of the model's canvas message that states how many points the sender has.
private struct CanvasMessage: Codable {
  let pointCount: Int
}

extension Canvas {
  /// Joins the session of a link as a new participant.
  fileprivate func joinSession(at link: URL) async throws {
    let session: GatewaySuites.ModelTests.Session = try await GroupActivitiesGateway.session(at: link)
    configureGroupSession(session)
    try await session.$state.waitForValue { $0 == .joined }
  }

  /// Waits until the canvas has exactly these strokes, in any order.
  fileprivate func waitForStrokes(_ wanted: [[CGPoint]]) async throws {
    func key(_ points: [CGPoint]) -> String { points.map { "\($0.x),\($0.y)" }.joined(separator: " ") }
    let wanted = wanted.map(key).sorted()
    func isRight(_ strokes: [Stroke]) -> Bool { strokes.map { key($0.points) }.sorted() == wanted }
    let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    var watching: Set<AnyCancellable> = []
    while !isRight(strokes) {
      // A new point changes only its stroke and not the canvas, so each stroke is observed too.
      watching = []
      objectWillChange.sink { change.yield() }.store(in: &watching)
      for stroke in strokes { stroke.objectWillChange.sink { change.yield() }.store(in: &watching) }
      let counts = strokes.map(\.points.count)
      try await withTimeout("the strokes; the canvas has strokes of \(counts) points") {
        for await _ in changes { return }
      }
      await Task.yield()
    }
  }
}

extension Published.Publisher where Value: Sendable {
  /// Waits until a value that satisfies a condition is published and stored.
  @MainActor fileprivate func waitForValue(_ isRight: @escaping @Sendable (Value) -> Bool) async throws {
    try await withTimeout("a value") { [self] in
      for await value in values where isRight(value) { return }
    }
    await Task.yield()
  }
}
