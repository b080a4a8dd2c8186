package import FoundationEssentials
package import Wire

/// A message to be sent.
package struct OutgoingEntry: Sendable {
  /// True for a message that is ordered, delivered once and acknowledged.
  package var isReliable: Bool
  /// The retention rule; `none` for unreliable and targeted messages.
  package var retention: Retention
  /// True if the message has an effect only while the session retains messages with the same key.
  package var onlyIfExisting: Bool
  /// The retention key; zero without retention.
  package var key: EntryKey
  /// The ids of the receivers; nil for all participants. An empty list reaches no participant.
  package var targets: [UUID]?
  /// The message type, 1 to 255 bytes.
  package var type: String
  /// The payload.
  package var payload: [UInt8]

  /// Creates a message; by default to all participants, reliable and without retention.
  package init(
    type: String, payload: [UInt8], isReliable: Bool = true, retention: Retention = .none,
    onlyIfExisting: Bool = false, key: EntryKey = .zero, targets: [UUID]? = nil
  ) {
    self.type = type
    self.payload = payload
    self.isReliable = isReliable
    self.retention = retention
    self.onlyIfExisting = onlyIfExisting
    self.key = key
    self.targets = targets
  }
}
