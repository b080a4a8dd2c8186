/// One record of a session's log on disk: what kind of thing it says, and the bytes that say it.
///
/// A store frames records and knows nothing of what is in them; this target writes and reads their bodies.
package struct SessionRecord: Sendable, Equatable {
  /// What a record says. The numbers stand in files and are fixed for ever; 0 is the store's own.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The session: id, epoch, activity.
    case session = 1
    /// Somebody who is or was in it.
    case participant
    /// Up to which number numbers may have been given out.
    case numbers
    /// Entries in their order, in the frames that they were sent in.
    case run
    /// What is retained of all entries up to a sequence, in a file that was compacted.
    case base
    /// Client sequences that were used up without an entry.
    case used
    /// Where the bytes of an attachment lie.
    case upload
    /// The session was put away whole; with what a listing tells of it.
    case closed
    /// The session ended for everyone.
    case end
    /// Its end was taken back.
    case restored
  }

  /// About how many bytes of entries are put into one record: only an entry that is larger alone makes a larger one.
  package static let runBytes = 1_048_576
  /// About how many bytes of entries are put into one `base` record.
  package static let baseBytes = 262_144

  /// What kind of thing it says.
  package var kind: Kind
  /// The bytes that say it: JSON, or integers in big-endian order and entries.
  package var body: [UInt8]

  /// A record of that kind.
  package init(kind: Kind, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }
}
