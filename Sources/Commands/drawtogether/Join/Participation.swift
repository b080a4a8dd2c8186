internal import Combine
internal import FoundationEssentials
internal import GroupActivities
internal import Wire

/// Any activity: a tool in a terminal takes part in whatever the session is for.
struct AnyActivity: GroupActivity {
  static let activityIdentifier = "drawtogether"

  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Draw Together"
    metadata.type = .createTogether
    return metadata
  }
}

/// A place in a session, with what is on its board.
@MainActor
final class Participation {
  let session: GroupSession<AnyActivity>
  private(set) var board = Board()
  /// Whether what was there before has come.
  private(set) var isCaughtUp = false
  /// Where everything that happens comes from.
  private let entries: GroupSession<AnyActivity>.Entries
  private var following: Task<Void, Never>?
  private var arrival: CheckedContinuation<Void, Never>?
  private var hasEnded = false

  /// Finds the session of a link and joins it; what happens is told by `events` or `enter`.
  init(_ request: JoinRequest, link: URL) async throws(JoinFailure) {
    do {
      session = try await GroupActivitiesGateway.session(
        at: link, of: AnyActivity.self, certificates: request.certificates)
    } catch {
      throw .notFound("\(error)")
    }
    entries = session.entries
    session.join(as: request.name, color: request.color)
  }

  /// Hands everything on that happens, until the session is over or `handle` says false.
  func events(_ handle: (GroupSessionEntry) -> Bool) async {
    for await entry in entries {
      note(entry)
      guard handle(entry) else { return }
    }
    hasEnded = true
  }

  /// Waits until all that is there has come; goes on following then, and hands on what happens.
  ///
  /// - Throws: `JoinFailure.ended` when the session is over before.
  func enter(_ handle: @escaping @MainActor (GroupSessionEntry) -> Void) async throws(JoinFailure) {
    following = Task { [self] in
      await events { entry in
        handle(entry)
        if isCaughtUp { arrive() }
        return true
      }
      arrive()
    }
    if !isCaughtUp, !hasEnded { await withCheckedContinuation { arrival = $0 } }
    guard isCaughtUp else { throw .ended(await reason()) }
  }

  private func arrive() {
    arrival?.resume()
    arrival = nil
  }

  /// Why the session is over; only once it is.
  func reason() async -> GroupSessionInvalidation {
    for await state in session.$state.values {
      if case .invalidated(let reason) = state { return reason as? GroupSessionInvalidation ?? .ended }
    }
    return .ended
  }

  /// Where something is put that nobody said a place for.
  func freePlace() -> PlanePoint { board.freePlace() }

  /// All that is seen, what lies lower first.
  func boardItems() -> [Board.Item] { board.items() }

  private func note(_ entry: GroupSessionEntry) {
    switch entry {
    case .catchUp(let isSnapshot): board.beginCatchUp(isSnapshot: isSnapshot)
    case .caughtUp:
      board.endCatchUp()
      isCaughtUp = true
    case .message(let message): _ = board.receive(BoardEntry(message))
    case .attachments(let attachments): board.receive(attachments.map(BoardAttachment.init))
    default: break
    }
  }
}

extension BoardEntry {
  /// A message as a board sees it; one that changed nothing is none.
  init(_ message: GroupSessionRawMessage) {
    let retention: Retention =
      switch message.retention {
      case _ where message.changedNothing: .none
      case .none: .none
      case .append: .append
      case .replace: .replace
      case .remove: .remove
      @unknown default: .none
      }
    self.init(
      type: message.type, payload: Array(message.payload), retention: retention, key: message.key,
      sequence: message.sequence)
  }
}

extension BoardAttachment {
  init(_ attachment: GroupSessionRawAttachment) {
    self.init(
      id: attachment.id, name: attachment.name, isPicture: attachment.contentType.hasPrefix("image/"),
      metadata: attachment.metadata.map { Array($0) })
  }
}
