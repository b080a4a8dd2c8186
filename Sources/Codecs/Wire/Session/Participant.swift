package import FoundationEssentials

/// A participant's short name on the wire: never given out twice in a session; 0 is the gateway itself.
package typealias ParticipantNumber = UInt32

/// Somebody who is, or was, in a session, as everybody sees them.
package struct Participant: Decodable, JSONWritable, Equatable, Sendable {
  /// New for each join that does not resume.
  package var id: UUID
  /// The short form of `id` on the wire.
  package var number: ParticipantNumber
  /// 1 to 64 scalars, sanitised.
  package var name: String
  /// `#` and six hex digits in lower case.
  package var color: String

  /// A participant with a name and a color that have been sanitised.
  package init(id: UUID, number: ParticipantNumber, name: String, color: String) {
    self.id = id
    self.number = number
    self.name = name
    self.color = color
  }

  /// Writes the object that everybody sees.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("number", number)
      writer.member("name", name)
      writer.member("color", color)
    }
  }
}

/// Somebody who is no longer in a session, and how that came.
package struct Departure: Decodable, JSONWritable, Equatable, Sendable {
  /// How somebody goes.
  package enum Reason: String, Decodable, Sendable {
    /// By choice.
    case left
    /// The socket broke, and the grace time is over.
    case gone
  }

  /// Whose departure.
  package var id: UUID
  /// The short form of `id`.
  package var number: ParticipantNumber
  /// By choice or not.
  package var reason: Reason

  /// The departure of one participant.
  package init(id: UUID, number: ParticipantNumber, reason: Reason) {
    self.id = id
    self.number = number
    self.reason = reason
  }

  /// Writes the object that everybody sees.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("number", number)
      writer.member("reason", reason.rawValue)
    }
  }
}
