package import FoundationEssentials

/// A session as the API and `joined` describe it.
package struct SessionObject: Decodable, JSONWritable, Equatable, Sendable {
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

  /// Writes the object, the time as ISO 8601 in UTC.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id.text)
      writer.member("link", link)
      writer.member("activity", activity)
      writer.member("createdAt", createdAt.formatted(.iso8601))
      writer.member("participants", participants)
      writer.member("sequence", sequence)
    }
  }
}
