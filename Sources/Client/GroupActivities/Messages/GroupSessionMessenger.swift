import SessionClient
public import FoundationEssentials
import Wire

/// Sends messages to the other participants of a session and receives theirs (Apple's class).
///
/// The delivery mode applies to sending only: `messages(of:)` yields messages of both modes. A messenger retains its
/// session. All functions may be called on any thread.
public final class GroupSessionMessenger: Sendable {
  /// The delivery of messages (Apple's type).
  public enum DeliveryMode: Hashable, Sendable {
    /// Delivered once and in order to every participant, and retained by the rule that `GroupActivitiesGateway.retain(_:_:key:)`
    /// sets.
    case reliable
    /// Delivered immediately or not at all, in any order.
    case unreliable
  }

  /// The delivery mode of the messages that this messenger sends.
  public let deliveryMode: DeliveryMode
  let coordinator: SessionCoordinator
  private let retainer: SessionRetainer

  /// Creates a messenger in the mode `reliable`.
  public convenience init<Activity: GroupActivity>(session: GroupSession<Activity>) {
    self.init(session: session, deliveryMode: .reliable)
  }

  /// Creates a messenger in a mode. A program that needs both modes creates two messengers.
  public init<Activity: GroupActivity>(session: GroupSession<Activity>, deliveryMode: DeliveryMode) {
    self.deliveryMode = deliveryMode
    coordinator = session.coordinator
    retainer = SessionRetainer(session)
  }

  /// Sends a message as JSON, under its type's `messageIdentifier` or else the name of its type.
  ///
  /// The message's place in the order of all sends is fixed before this function suspends for the first time. After this function
  /// returns, a reliable message is delivered once and in order, even if connections are lost. Reliable messages sent between
  /// `join()` and `joined`, or while the connection is down, are queued (64 MiB at most); unreliable ones are dropped.
  ///
  /// - Parameters:
  ///   - value: the message, at most 262,144 bytes of JSON.
  ///   - participants: the receivers. An empty set is not an error; the message is then not sent.
  /// - Throws: `SendError`, or the encoding error; then no message is sent.
  public func send<Message: Codable>(_ value: Message, to participants: Participants = .all) async throws {
    try take(value, to: participants)
  }

  /// Sends at most 262,144 bytes. Receivers read them from `messages(of: Data.self)`. The session does not retain them.
  ///
  /// - Parameters:
  ///   - value: the bytes.
  ///   - participants: the receivers.
  /// - Throws: `SendError`; then no message is sent.
  public func send(_ value: Data, to participants: Participants = .all) async throws {
    try take(value, to: participants)
  }

  /// Sends a message as `send(_:to:)` does. The message's place in the order of all sends is fixed when this function returns.
  ///
  /// - Parameters:
  ///   - value: the message.
  ///   - participants: the receivers.
  ///   - completion: called with nil, or with the reason why the message was not sent; on the caller's thread, before
  ///     this function returns.
  public func send<Message: Codable>(
    _ value: Message, to participants: Participants = .all, completion: @escaping ((any Error)?) -> Void
  ) {
    complete(completion) { try take(value, to: participants) }
  }

  /// Sends bytes as `send(_:to:)` does. The place of these bytes in the order of all sends is fixed when this function returns.
  ///
  /// - Parameters:
  ///   - value: the bytes.
  ///   - participants: the receivers.
  ///   - completion: called with nil, or with the reason why the bytes were not sent; on the caller's thread, before
  ///     this function returns.
  public func send(
    _ value: Data, to participants: Participants = .all, completion: @escaping ((any Error)?) -> Void
  ) {
    complete(completion) { try take(value, to: participants) }
  }

  /// Returns the messages of a type from other participants, in the session's order.
  ///
  /// The first sequence that the program requests for a type begins with the messages that arrived after `join()`. If this
  /// program joins late, the sequence begins with the messages that the session retains. Payloads that cannot be decoded are
  /// skipped. A stroke message of the web page may contain several points. If `Message` has no property `points`, the sequence
  /// yields one message for each point.
  public func messages<Message: Codable>(of type: Message.Type) -> Messages<Message> {
    Messages(coordinator: coordinator, retainer: retainer, type: MessageType.name(of: type))
  }

  /// Returns the messages that other participants send as `Data`.
  public func messages(of type: Data.Type) -> Messages<Data> {
    Messages(coordinator: coordinator, retainer: retainer, type: MessageType.data)
  }

  /// Removes all messages that the session retains under a key, for example the messages of an undone stroke. An extension of
  /// Apple's API.
  ///
  /// Web pages then remove the object from the canvas. `messages(of:)` does not report the removal.
  ///
  /// - Parameter key: the `id` of the retained messages.
  /// - Throws: `SendError`; then no message is sent.
  public func forget(_ key: UUID) async throws {
    try coordinator.send(
      OutgoingEntry(type: MessageType.removal, payload: [], retention: .remove, key: EntryKey(key)))
  }

  private func take(_ value: some Encodable, to participants: Participants) throws {
    // Swift does not choose the overload for `Data` in generic code, so this check is necessary.
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
