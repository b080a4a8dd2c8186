import SessionClient
import FoundationEssentials
import Gateway
import GroupActivities
import Testing
import Wire

extension GatewaySuites {
  @Suite("Retention for late joiners")
  struct RetentionTests {
    @Test(
      "for a late joiner, messages(of:) begins with the retained messages, including those of departed senders"
    )
    func lateJoiner() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let (fromAda, fromBen) = (GroupSessionMessenger(session: ada), GroupSessionMessenger(session: ben))
      let strokes = [UUID(), UUID()]
      for number in 0..<20 {
        let messenger = number % 2 == 0 ? fromAda : fromBen
        try await messenger.send(
          UpsertStrokeMessage(id: strokes[number % 2], color: number % 2, point: [Double(number), 0]))
      }
      try await fromAda.send(Remark("not kept"))
      try await ada.settle()
      try await ben.settle()
      let source = ada.localParticipant
      await ada.leaveAndWait()
      let cleo = try await gateway.join(link)
      let live = UpsertStrokeMessage(id: strokes[1], color: 1, point: [100, 0])
      try await fromBen.send(live)
      // Cleo subscribes long after joining.
      let messenger = GroupSessionMessenger(session: cleo)
      let seen = try await withTimeout("21 points") {
        var seen: [(UpsertStrokeMessage, GroupActivities.Participant)] = []
        for await (message, context) in messenger.messages(of: UpsertStrokeMessage.self) {
          seen.append((message, context.source))
          if seen.count == 21 { break }
        }
        return seen
      }
      for (index, stroke) in strokes.enumerated() {
        let points = seen.filter { $0.0.id == stroke }
        let expected = stride(from: index, to: 20, by: 2).map(Double.init) + (index == 1 ? [100] : [])
        #expect(points.map { $0.0.point[0] } == expected)
        #expect(points.allSatisfy { $0.1 == (index == 0 ? source : ben.localParticipant) })
      }
      try await fromBen.send(Remark("not retained"))
      #expect(try await messenger.next(1, of: Remark.self) == [Remark("not retained")])
    }

    @Test(
      "`retain` sets the messages for late joiners: the newest of a type, the newest for each key, or none")
    func rules() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      GroupActivitiesGateway.retain(Page.self, .replace)
      GroupActivitiesGateway.retain(Cursor.self, .replace, key: \.owner)
      GroupActivitiesGateway.retain(Flash.self, .none)
      let messenger = GroupSessionMessenger(session: ada)
      let owners = [UUID(), UUID()]
      for number in 0..<6 {
        try await messenger.send(Page(number: number))
        try await messenger.send(Cursor(owner: owners[number % 2], x: number))
        try await messenger.send(Flash(id: UUID()))
        // A message to selected participants is not retained.
        try await messenger.send(Page(number: 100), to: .only(ada.localParticipant))
      }
      try await ada.settle()
      let ben = try await gateway.join(link)
      let late = GroupSessionMessenger(session: ben)
      #expect(try await late.next(1, of: Page.self) == [Page(number: 5)])
      #expect(Set(try await late.next(2, of: Cursor.self).map(\.x)) == [4, 5])
      let flash = Flash(id: UUID())
      try await messenger.send(flash)
      #expect(try await late.next(1, of: Flash.self) == [flash])
    }

    @Test("a late joiner does not receive a retained message that was removed with forget(_:)")
    func forgets() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      let messenger = GroupSessionMessenger(session: ada)
      let (gone, stays) = (UUID(), UUID())
      for stroke in [gone, stays] {
        try await messenger.send(UpsertStrokeMessage(id: stroke, color: 1, point: [1, 1]))
      }
      try await messenger.forget(gone)
      try await ada.settle()
      let late = GroupSessionMessenger(session: try await gateway.join(link))
      #expect(try await late.next(1, of: UpsertStrokeMessage.self).map(\.id) == [stays])
    }

    @Test(
      "a stroke batch from the page arrives point by point; when the page finishes the stroke, only new points arrive"
    )
    func batches() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      let page = try await PageLike(link)
      let stroke = UUID()
      let messenger = GroupSessionMessenger(session: ada)
      let (seen, sees) = AsyncStream.makeStream(of: [Double].self)
      let listener = Task {
        for await (message, _) in messenger.messages(of: UpsertStrokeMessage.self) {
          sees.yield(message.point)
        }
      }
      defer { listener.cancel() }
      try await page.draw(stroke, [[0, 0]], isFirst: true)
      // A present subscriber receives every change; a later subscriber receives the retained state.
      let first = try await withTimeout("the first point") { await seen.first { _ in true } }
      #expect(first == [0, 0])
      try await page.draw(stroke, [[1, 0], [2, 0.5]])
      try await page.finish(stroke, [[0, 0], [1, 0], [2, 0.5], [3, 0]])
      // The page moves the stroke. An `UpsertStrokeMessage` can only append points, so the subscriber receives no message about
      // the move.
      try await page.finish(stroke, [[5, 0], [6, 0], [7, 0.5], [8, 0]])
      try await page.draw(stroke, [[9, 0]])
      let points = try await withTimeout("four points") {
        var points: [[Double]] = []
        for await point in seen {
          points.append(point)
          if points.count == 4 { break }
        }
        return points
      }
      #expect(points == [[1, 0], [2, 0.5], [3, 0], [9, 0]])
      // A late joiner receives the whole stroke in its present form.
      let late = GroupSessionMessenger(session: try await gateway.join(link))
      #expect(
        try await late.next(5, of: UpsertStrokeMessage.self).map(\.point)
          == [[5, 0], [6, 0], [7, 0.5], [8, 0], [9, 0]])
      // A type that has `points` receives each message unchanged.
      let whole = GroupSessionMessenger(session: try await gateway.join(link))
      #expect(try await whole.next(2, of: WholeStroke.self).map(\.points.count) == [4, 1])
    }

    @Test(
      "when the page replaces a stroke that this program sent, this program receives no points of the stroke")
    func ownStroke() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      let page = try await PageLike(link)
      let stroke = UUID()
      let messenger = GroupSessionMessenger(session: ada)
      for x in 0..<3 {
        try await messenger.send(UpsertStrokeMessage(id: stroke, color: 2, point: [Double(x), 0]))
      }
      try await ada.settle()
      try await page.finish(stroke, [[0, 9], [1, 9], [2, 9]])
      try await page.draw(UUID(), [[7, 7]], isFirst: true)
      #expect(try await messenger.next(1, of: UpsertStrokeMessage.self).map(\.point) == [[7, 7]])
    }
  }
}

private struct Page: Codable, Equatable { let number: Int }
private struct Cursor: Codable, Equatable {
  let owner: UUID
  let x: Int
}
private struct Flash: Codable, Equatable { let id: UUID }

/// The stroke message of the page as it is sent, with all points of the message in `points`.
private struct WholeStroke: Codable, CustomMessageIdentifiable {
  static let messageIdentifier = "UpsertStrokeMessage"
  let id: UUID
  let points: [[Double]]
}

/// A participant that sends strokes as the page does.
private struct PageLike {
  private let membership: Membership

  init(_ link: URL) async throws {
    let link = try SessionLink(link)
    membership = Membership(in: link.session, at: link.gateway) { _ in }
    membership.join()
  }

  func draw(_ stroke: UUID, _ points: [[Double]], isFirst: Bool = false) async throws {
    try await send(stroke, points, .append, onlyIfExisting: !isFirst)
  }

  func finish(_ stroke: UUID, _ points: [[Double]]) async throws {
    try await send(stroke, points, .replace, onlyIfExisting: true)
  }

  private func send(
    _ stroke: UUID, _ points: [[Double]], _ retention: Retention, onlyIfExisting: Bool
  ) async throws {
    let list = points.map { "[\($0[0]),\($0[1])]" }
    let json =
      #"{"id":"\#(stroke)","color":4,"point":\#(list.last ?? "[]"),"points":[\#(list.joined(separator: ","))],"#
      + #""pressures":[\#(points.map { _ in "0.5" }.joined(separator: ","))],"width":3,"z":7}"#
    try membership.send(
      OutgoingEntry(
        type: "UpsertStrokeMessage", payload: Array(json.utf8), retention: retention,
        onlyIfExisting: onlyIfExisting, key: EntryKey(stroke)))
    try await membership.settle()
  }
}
