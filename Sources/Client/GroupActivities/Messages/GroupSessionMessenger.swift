import SessionClient
public import FoundationEssentials
import Wire

/// Sends messages to the others in a session, and hands out theirs (Apple's class).
///
/// Its mode is for what it sends; `messages(of:)` yields what was sent in either mode. A messenger keeps its session.
public final class GroupSessionMessenger: Sendable {
  /// How messages are delivered (Apple's type).
  public enum DeliveryMode: Hashable, Sendable {
    /// In order, once, to everybody who is in; and kept for who comes later as `GroupActivitiesGateway.retain(_:_:key:)` says.
    case reliable
    /// Now or never, in no order.
    case unreliable
  }

  /// How this one's messages are delivered.
  public let deliveryMode: DeliveryMode
  let coordinator: SessionCoordinator
  private let retainer: SessionRetainer

  /// A messenger whose messages arrive.
  public convenience init<Activity: GroupActivity>(session: GroupSession<Activity>) {
    self.init(session: session, deliveryMode: .reliable)
  }

  /// A messenger of that mode; for both modes take two.
  public init<Activity: GroupActivity>(session: GroupSession<Activity>, deliveryMode: DeliveryMode) {
    self.deliveryMode = deliveryMode
    coordinator = session.coordinator
    retainer = SessionRetainer(session)
  }

  /// Sends a message as JSON, under its type's `messageIdentifier` or else its type's name.
  ///
  /// It takes its place among all sends before this suspends for the first time, and returns once it is taken: a reliable
  /// message that was taken arrives once and in order, over any number of cut connections. Those sent between `join()` and
  /// `joined`, and while the connection is away, wait (64 MiB at most); unreliable ones are dropped then.
  ///
  /// - Parameters:
  ///   - value: the message, of at most 262,144 bytes as JSON.
  ///   - participants: whom it goes to; with nobody in the set it goes to nobody, and is no error.
  /// - Throws: `SendError`, or what encoding the message throws; nothing is sent then.
  public func send<Message: Codable>(_ value: Message, to participants: Participants = .all) async throws {
    try take(value, to: participants)
  }

  /// Sends bytes as they are, 262,144 at most. They arrive at `messages(of: Data.self)` and are not kept.
  ///
  /// - Parameters:
  ///   - value: the bytes.
  ///   - participants: whom they go to.
  /// - Throws: `SendError`; nothing is sent then.
  public func send(_ value: Data, to participants: Participants = .all) async throws {
    try take(value, to: participants)
  }

  /// Sends a message as `send(_:to:)` does; its place is taken when this returns.
  ///
  /// - Parameters:
  ///   - value: the message.
  ///   - participants: whom it goes to.
  ///   - completion: told nil once it is taken, or why it is not sent; before this returns, on the caller's thread.
  public func send<Message: Codable>(
    _ value: Message, to participants: Participants = .all, completion: @escaping ((any Error)?) -> Void
  ) {
    complete(completion) { try take(value, to: participants) }
  }

  /// Sends bytes as `send(_:to:)` does; their place is taken when this returns.
  ///
  /// - Parameters:
  ///   - value: the bytes.
  ///   - participants: whom they go to.
  ///   - completion: told nil once they are taken, or why they are not sent; before this returns, on the caller's thread.
  public func send(
    _ value: Data, to participants: Participants = .all, completion: @escaping ((any Error)?) -> Void
  ) {
    complete(completion) { try take(value, to: participants) }
  }

  /// The messages of a type from others, in the session's order, from the call to `join()` on: the first sequence of a type
  /// begins with what came before anybody listened, and a late joiner's with what the session keeps. What comes under the
  /// type's name and is no such JSON is passed over. Of a page's strokes a type without `points` is given each point.
  public func messages<Message: Codable>(of type: Message.Type) -> Messages<Message> {
    Messages(coordinator: coordinator, retainer: retainer, type: MessageType.name(of: type))
  }

  /// What others send as `Data`, as `messages(of:)` gives messages.
  public func messages(of type: Data.Type) -> Messages<Data> {
    Messages(coordinator: coordinator, retainer: retainer, type: MessageType.data)
  }

  /// Ours: has the session forget what it keeps under a key, such as a stroke that is undone. Pages then take it away;
  /// `messages(of:)` does not tell.
  ///
  /// - Parameter key: the `id` of the messages that are kept.
  /// - Throws: `SendError`; nothing is sent then.
  public func forget(_ key: UUID) async throws {
    try coordinator.send(
      OutgoingEntry(type: MessageType.removal, payload: [], retention: .remove, key: EntryKey(key)))
  }

  private func take(_ value: some Encodable, to participants: Participants) throws {
    // Generic code does not choose the other one by itself.
    if let data = value as? Data { return try take(data, to: participants) }
    if case .only(let chosen) = participants, chosen.isEmpty { return }
    let type = MessageType.name(of: value)
    let payload = [UInt8](try JSONEncoder().encode(value))
    var entry = OutgoingEntry(type: type, payload: payload, isReliable: deliveryMode == .reliable)
    if case .only(let chosen) = participants {
      entry.targets = chosen.map(\.id)
    } else if deliveryMode == .reliable, let kept = RetentionRules.shared.placement(of: value, type, payload)
    {
      entry.retention = kept.retention
      entry.key = kept.key
    }
    try coordinator.send(entry)
  }

  private func take(_ value: Data, to participants: Participants) throws {
    if case .only(let chosen) = participants, chosen.isEmpty { return }
    var entry = OutgoingEntry(
      type: MessageType.data, payload: [UInt8](value), isReliable: deliveryMode == .reliable)
    if case .only(let chosen) = participants { entry.targets = chosen.map(\.id) }
    try coordinator.send(entry)
  }

  private func complete(_ completion: ((any Error)?) -> Void, _ send: () throws -> Void) {
    do {
      try send()
      completion(nil)
    } catch {
      completion(error)
    }
  }
}
