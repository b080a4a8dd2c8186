/// One record of a session's log on disk: its kind and its body.
///
/// A store frames records and does not read their bodies; SessionCore writes and reads those.
package struct SessionRecord: Sendable, Equatable {
  /// The kind of a record. Its number is in files and never changes; 0 is a record of the store itself.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The session: id, epoch, activity.
    case session = 1
    /// A present or past participant.
    case participant
    /// The highest number that may have been given out.
    case numbers
    /// Entries in their order, in the frames in which they were sent.
    case run
    /// The retained ones of all entries up to a sequence, in a compacted file.
    case base
    /// Client sequences that were consumed without an entry.
    case used
    /// The file of an attachment.
    case upload
    /// The session was closed; with the values of a listing.
    case closed
    /// The session ended for all participants.
    case end
    /// Its end was undone.
    case restored
  }

  /// The approximate bytes of entries in one record: only a single larger entry makes a larger one.
  package static let runBytes = 1_048_576
  /// The approximate bytes of entries in one `base` record.
  package static let baseBytes = 262_144

  /// The kind.
  package var kind: Kind
  /// The body: JSON, or big-endian integers and entries.
  package var body: [UInt8]

  /// A record with these values.
  package init(kind: Kind, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }
}
