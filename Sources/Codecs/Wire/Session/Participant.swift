package import FoundationEssentials

/// The number of a participant on the wire, unique in its session; 0 is the gateway itself.
package typealias ParticipantNumber = UInt32

/// A current or past participant of a session: the JSON object that the gateway sends to all participants.
package struct Participant: Decodable, JSONWritable, Equatable, Sendable {
  /// The id. Each `join` without `resume` creates a new participant with a new id.
  package var id: UUID
  /// The number that identifies the participant in entries, because it is shorter than `id`.
  package var number: ParticipantNumber
  /// The name, 1 to 64 scalars, sanitised.
  package var name: String
  /// The color: `#` and six hex digits in lower case.
  package var color: String

  /// Creates a participant. The caller must have sanitised `name` and `color`.
  package init(id: UUID, number: ParticipantNumber, name: String, color: String) {
    self.id = id
    self.number = number
    self.name = name
    self.color = color
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("number", number)
      writer.member("name", name)
      writer.member("color", color)
    }
  }
}

/// The departure of a participant, with its reason.
package struct Departure: Decodable, JSONWritable, Equatable, Sendable {
  /// The reason of a departure.
  package enum Reason: String, Decodable, Sendable {
    /// The participant left.
    case left
    /// The socket broke, and the grace time has passed.
    case gone
  }

  /// The id of the participant.
  package var id: UUID
  /// The number of the participant.
  package var number: ParticipantNumber
  /// The reason of the departure.
  package var reason: Reason

  /// Creates the departure of one participant.
  package init(id: UUID, number: ParticipantNumber, reason: Reason) {
    self.id = id
    self.number = number
    self.reason = reason
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("number", number)
      writer.member("reason", reason.rawValue)
    }
  }
}
