internal import Combine
internal import FoundationEssentials
internal import GroupActivities
internal import Wire

/// An activity type that fits any session, because the command can join sessions of all activities.
struct AnyActivity: GroupActivity {
  static let activityIdentifier = "drawtogether"

  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Draw Together"
    metadata.type = .createTogether
    return metadata
  }
}

/// A participant in a session, with the content of the board.
@MainActor
final class Participation {
  let session: GroupSession<AnyActivity>
  private(set) var board = Board()
  /// True when the catch-up is complete.
  private(set) var isCaughtUp = false
  /// The events of the session.
  private let entries: GroupSession<AnyActivity>.Entries
  private var following: Task<Void, Never>?
  private var arrival: CheckedContinuation<Void, Never>?
  private var hasEnded = false

  /// Looks up the session of a link, and joins the session. The caller then receives the session's events from `events` or
  /// `enter`.
  init(_ request: JoinRequest, link: URL) async throws(CommandError) {
    do {
      session = try await GroupActivitiesGateway.session(
        at: link, of: AnyActivity.self, certificates: request.certificates)
    } catch {
      throw .notFound("\(error)")
    }
    entries = session.entries
    session.join(as: request.name, color: request.color)
  }

  /// Calls `handle` with each event, until the session is over or `handle` returns false.
  func events(_ handle: (GroupSessionEntry) -> Bool) async {
    for await entry in entries {
      apply(entry)
      guard handle(entry) else { return }
    }
    hasEnded = true
  }

  /// Waits for the end of the catch-up. Calls `handle` with each event, during the catch-up and afterwards.
  ///
  /// - Throws: `CommandError.sessionEnded` if the session ends before the catch-up is complete.
  func enter(_ handle: @escaping @MainActor (GroupSessionEntry) -> Void) async throws(CommandError) {
    following = Task { [self] in
      await events { entry in
        handle(entry)
        if isCaughtUp { arrive() }
        return true
      }
      arrive()
    }
    if !isCaughtUp, !hasEnded { await withCheckedContinuation { arrival = $0 } }
    guard isCaughtUp else { throw .sessionEnded(await reason()) }
  }

  private func arrive() {
    arrival?.resume()
    arrival = nil
  }

  /// Returns the reason for the end of the session. Waits for the end.
  func reason() async -> GroupSessionInvalidation {
    for await state in session.$state.values {
      if case .invalidated(let reason) = state { return reason as? GroupSessionInvalidation ?? .ended }
    }
    return .ended
  }

  /// Returns the default position of a new item.
  func freePosition() -> PlanePoint { board.freePosition() }

  /// Returns all visible items, from bottom to top.
  func boardItems() -> [Board.Item] { board.items() }

  private func apply(_ entry: GroupSessionEntry) {
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
  /// Creates an entry for the board from a message. If the message changed nothing, the entry has no retention.
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
