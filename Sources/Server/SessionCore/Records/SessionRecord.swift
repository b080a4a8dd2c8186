/// One record of a session's log on disk: its kind and its body.
///
/// A store frames records and does not read their bodies; SessionCore writes and reads the bodies.
package struct SessionRecord: Sendable, Equatable {
  /// The kind of a record. The number of a kind is stored in files, so it never changes. The number 0 stands for a record of
  /// the store itself.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The session: id, epoch, activity.
    case session = 1
    /// A present or past participant.
    case participant
    /// The highest participant number that may have been assigned.
    case numbers
    /// Entries in their order, in the frames in which they were sent.
    case run
    /// The retained entries up to a sequence, in a compacted file.
    case base
    /// Client sequences that were used up by refused entries.
    case used
    /// The file of an attachment.
    case upload
    /// The session was closed. The record also has the values that a list of the stored sessions shows.
    case closed
    /// The session ended for all participants.
    case end
    /// The end of the session was undone.
    case restored
    /// The time at which the run directly before it was stored.
    case time
  }

  /// The approximate maximum number of bytes of entries in one `run` record. Only a single larger entry exceeds it.
  package static let runBytes = 1_048_576
  /// The approximate maximum number of bytes of entries in one `base` record.
  package static let baseBytes = 262_144

  /// The kind of the record.
  package var kind: Kind
  /// The body: JSON, or big-endian integers and entries.
  package var body: [UInt8]

  /// Creates a record.
  package init(kind: Kind, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }
}
