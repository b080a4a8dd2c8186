package import Wire

/// An entry received from the gateway.
package struct ReceivedEntry: Sendable {
  /// The sender, which may have left long ago.
  package let source: Participant
  /// True if this client sent the entry.
  package let isMine: Bool
  /// The message type.
  package let type: String
  /// The payload.
  package let payload: [UInt8]
  /// The delivery and retention flags.
  package let flags: EntryFlags
  /// The retention key; zero without retention.
  package let key: EntryKey
  /// The position in the session's order; 0 for an unreliable entry.
  package let sequence: UInt64
  /// The sender's number for the entry, counted from 1 in the order of sending; 0 for an unreliable entry.
  package let clientSequence: UInt32
  /// True if the entry was reported before: a snapshot repeats retained entries. A program that needs each message only once
  /// ignores such entries.
  package let isRepeat: Bool

  /// Creates an entry from the values of its properties.
  package init(
    source: Participant, isMine: Bool, type: String, payload: [UInt8], flags: EntryFlags, key: EntryKey,
    sequence: UInt64, clientSequence: UInt32, isRepeat: Bool
  ) {
    self.source = source
    self.isMine = isMine
    self.type = type
    self.payload = payload
    self.flags = flags
    self.key = key
    self.sequence = sequence
    self.clientSequence = clientSequence
    self.isRepeat = isRepeat
  }
}
