package import FoundationEssentials

/// A session in the API and in `joined`.
package struct SessionObject: Decodable, JSONWritable, Equatable, Sendable {
  /// The complete id.
  package var id: SessionID
  /// The path `/s/{id}`, after the public URL if there is one.
  package var link: String
  /// The links that other devices in the network can open; nil except in the answer to a local request on the gateway's own
  /// machine.
  package var networkLinks: [String]?
  /// The activity.
  package var activity: Activity
  /// The time of creation; whole seconds on the wire.
  package var createdAt: Date
  /// The number of current participants.
  package var participants: Int
  /// The present sequence of the session.
  package var sequence: UInt64

  /// Creates the description of a session.
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

  /// Writes the description as a JSON object, with the time as ISO 8601 in UTC.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("link", link)
      if let networkLinks {
        writer.name("networkLinks")
        writer.array { writer in
          for link in networkLinks {
            writer.element()
            writer.write(link)
          }
        }
      }
      writer.member("activity", activity)
      writer.member("createdAt", createdAt)
      writer.member("participants", participants)
      writer.member("sequence", sequence)
    }
  }
}
