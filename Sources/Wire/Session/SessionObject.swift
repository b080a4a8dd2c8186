package import FoundationEssentials

/// A session as the API and `joined` describe it.
package struct SessionObject: Codable, Equatable, Sendable {
  /// Its id, whole.
  package var id: SessionID
  /// `/s/{id}`, behind the public URL if there is one.
  package var link: String
  /// What it is for.
  package var activity: Activity
  /// When it was made; whole seconds on the wire.
  package var createdAt: Date
  /// How many are in it.
  package var participants: Int
  /// The highest sequence given out.
  package var sequence: UInt64

  /// A session at one point of its order.
  package init(
    id: SessionID, link: String, activity: Activity, createdAt: Date, participants: Int, sequence: UInt64
  ) {
    self.id = id
    self.link = link
    self.activity = activity
    self.createdAt = createdAt
    self.participants = participants
    self.sequence = sequence
  }
}
