internal import FoundationEssentials
internal import GroupActivities
internal import Wire

/// Formats an event of a session as a line of JSON.
enum TailLine {
  /// The names and colors of participants.
  struct Names {
    var name: (GroupActivities.Participant) -> String?
    var color: (GroupActivities.Participant) -> String?
  }

  /// Returns the line of an event, with its line feed; nil for an event that is not printed.
  static func json(_ entry: GroupSessionEntry, _ names: Names) -> [UInt8]? {
    switch entry {
    case .joined(let participant):
      line("joined") { writer in
        writer.name("me")
        write(participant, names, to: &writer)
      }
    case .caughtUp: line("live") { _ in }
    case .participants(let active, let waiting):
      line("people") { writer in
        write("here", active, names, to: &writer)
        write("waiting", waiting, names, to: &writer)
      }
    case .activity(let identifier, let title, let payload):
      line("activity") { writer in
        writer.member("identifier", identifier)
        writer.member("title", title)
        if let payload { EntryLine.write([UInt8](payload).span, to: &writer) }
      }
    case .message(let message): line("message") { write(message, to: &$0) }
    case .attachments(let attachments):
      line("attachments") { writer in
        writer.name("attachments")
        writer.array { writer in
          for attachment in attachments {
            writer.element()
            write(attachment, to: &writer)
          }
        }
      }
    case .progress(let id, let offset, let size):
      line("progress") { writer in
        writer.member("id", id)
        writer.member("offset", offset)
        writer.member("size", size)
      }
    case .away: line("away") { _ in }
    case .successor(let link): line("successor") { $0.member("link", link.absoluteString) }
    case .notice(let text): line("notice") { $0.member("detail", text) }
    case .trouble(let text): line("trouble") { $0.member("detail", text) }
    default: nil
    }
  }

  /// Returns the last line of the output, with the reason for the end of the session.
  static func ended(_ reason: GroupSessionInvalidation) -> [UInt8] {
    line("ended") { $0.member("reason", "\(reason)") }
  }

  private static func line(_ event: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("event", event)
      body(&writer)
    }
    return escaped(writer.bytes) + [UInt8(ascii: "\n")]
  }

  /// Returns JSON in which terminal controls and characters that change the writing direction are escaped.
  static func escaped(_ json: [UInt8]) -> [UInt8] {
    guard let text = String(validating: json, as: UTF8.self) else { return json }
    guard text.unicodeScalars.contains(where: mustBeEscaped) else { return json }
    var result = ""
    for scalar in text.unicodeScalars {
      if mustBeEscaped(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return Array(result.utf8)
  }

  /// Returns true for a character to escape. Such characters occur only in strings, where an escape is equivalent.
  private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func write(_ message: GroupSessionRawMessage, to writer: inout JSONWriter) {
    writer.member("type", message.type)
    writer.name("from")
    writer.object { writer in
      writer.member("name", message.sourceName)
      writer.member("id", message.source.id)
    }
    if message.isReliable {
      writer.member("sequence", message.sequence)
    } else {
      writer.member("unreliable", true)
    }
    if let key = message.key {
      writer.member("key", key)
      writer.member("retention", "\(message.retention)")
    }
    if message.isTargeted { writer.member("targeted", true) }
    if message.isSealed { writer.member("sealed", true) }
    if message.changedNothing { writer.member("changedNothing", true) }
    EntryLine.write([UInt8](message.payload).span, to: &writer)
  }

  private static func write(_ attachment: GroupSessionRawAttachment, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", attachment.id)
      writer.member("name", attachment.name)
      writer.member("contentType", attachment.contentType)
      writer.member("size", attachment.size)
      writer.member("offset", attachment.offset)
      writer.member("isReady", attachment.isReady)
      if let metadata = attachment.metadata {
        writer.name("metadata")
        writer.write(json: metadata)
      }
    }
  }

  private static func write(
    _ name: String, _ people: [GroupActivities.Participant], _ names: Names, to writer: inout JSONWriter
  ) {
    writer.name(name)
    writer.array { writer in
      for participant in people {
        writer.element()
        write(participant, names, to: &writer)
      }
    }
  }

  private static func write(
    _ participant: GroupActivities.Participant, _ names: Names, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.member("id", participant.id)
      writer.member("name", names.name(participant))
      writer.member("color", names.color(participant))
    }
  }
}
