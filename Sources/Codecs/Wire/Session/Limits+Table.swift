/// A row of the table of limits, from which the flags of the command, its `--help` and the documentation are
/// generated.
package struct LimitDescription: Sendable {
  /// The unit of a limit.
  package enum Unit: String, Sendable {
    case bytes, seconds, entries, participants, sessions, connections, attachments, uploads
  }

  /// The name in `/api/limits`, such as `messageBytes`.
  package let name: String
  /// The property of `Limits` that contains the value.
  package let keyPath: any WritableKeyPath<Limits, Int> & Sendable
  /// The accepted values.
  package let range: ClosedRange<Int>
  /// The unit of the number.
  package let unit: Unit
  /// The text of the limit in `--help`.
  package let help: String
  /// True if the limit is a minimum instead of a maximum.
  package var isMinimum = false

  /// The flag of the command: `--max-message-bytes` for `messageBytes`. A limit in seconds, or a minimum, has no
  /// `max`: `--join-seconds`, `--disk-reserve-bytes`.
  package var flag: String {
    var kebab = ""
    for character in name {
      if character.isUppercase {
        kebab += "-" + character.lowercased()
      } else {
        kebab.append(character)
      }
    }
    return unit == .seconds || isMinimum ? "--\(kebab)" : "--max-\(kebab)"
  }

  /// The environment variable: `DRAWTOGETHER_` and the flag in capitals.
  package var environmentVariable: String {
    var name = "DRAWTOGETHER_"
    for character in flag.dropFirst(2) {
      name += character == "-" ? "_" : character.uppercased()
    }
    return name
  }
}

extension Limits {
  /// All limits, in the order of the documentation.
  package static let all: [LimitDescription] = [
    LimitDescription(
      name: "messageBytes", keyPath: \.messageBytes, range: 1...1_040_384, unit: .bytes,
      help: "maximum bytes of an entry's payload"),
    LimitDescription(
      name: "entriesPerSecond", keyPath: \.entriesPerSecond, range: 1...1_000_000, unit: .entries,
      help: "maximum entries per second of each participant (burst: twice that)"),
    LimitDescription(
      name: "bytesPerSecond", keyPath: \.bytesPerSecond, range: 1_024...1 << 32, unit: .bytes,
      help: "maximum bytes of entries per second of each participant (burst: twice that)"),
    LimitDescription(
      name: "participantsPerSession", keyPath: \.participantsPerSession, range: 1...100_000,
      unit: .participants, help: "maximum number of simultaneous participants in a session"),
    LimitDescription(
      name: "pastParticipants", keyPath: \.pastParticipants, range: 0...1_000_000,
      unit: .participants, help: "maximum number of past participants that a session remembers"),
    LimitDescription(
      name: "sessions", keyPath: \.sessions, range: 1...1_000_000, unit: .sessions,
      help: "maximum number of simultaneous sessions"),
    LimitDescription(
      name: "sessionsPerAddressPerMinute", keyPath: \.sessionsPerAddressPerMinute,
      range: 1...1_000_000, unit: .sessions,
      help: "maximum number of sessions that one address may create per minute"),
    LimitDescription(
      name: "sessionsPerAddress", keyPath: \.sessionsPerAddress, range: 1...1_000_000, unit: .sessions,
      help: "maximum number of stored sessions created from one address, except loopback"),
    LimitDescription(
      name: "connections", keyPath: \.connections, range: 1...1_000_000, unit: .connections,
      help: "maximum number of simultaneous connections"),
    LimitDescription(
      name: "connectionsPerAddress", keyPath: \.connectionsPerAddress, range: 1...1_000_000,
      unit: .connections, help: "maximum number of open connections of one address, except loopback"),
    LimitDescription(
      name: "headBytes", keyPath: \.headBytes, range: 1_024...1 << 20, unit: .bytes,
      help: "maximum bytes of a request's head"),
    LimitDescription(
      name: "headSeconds", keyPath: \.headSeconds, range: 1...3_600, unit: .seconds,
      help: "maximum time for a request's head to arrive"),
    LimitDescription(
      name: "incompleteBytes", keyPath: \.incompleteBytes, range: 1 << 20...1 << 40, unit: .bytes,
      help: "maximum bytes of incomplete messages and requests of all sockets"),
    LimitDescription(
      name: "attachmentBytes", keyPath: \.attachmentBytes, range: 1...1 << 40, unit: .bytes,
      help: "maximum bytes of an attachment"),
    LimitDescription(
      name: "metadataBytes", keyPath: \.metadataBytes, range: 2...65_536, unit: .bytes,
      help: "maximum bytes of an attachment's metadata"),
    LimitDescription(
      name: "sessionAttachmentBytes", keyPath: \.sessionAttachmentBytes, range: 0...1 << 50,
      unit: .bytes, help: "maximum bytes of all attachments of a session"),
    LimitDescription(
      name: "uploadKeepSeconds", keyPath: \.uploadKeepSeconds, range: 1...31_536_000,
      unit: .seconds, help: "time for which an upload without progress is kept"),
    LimitDescription(
      name: "attachmentsPerSession", keyPath: \.attachmentsPerSession, range: 0...1_000_000,
      unit: .attachments, help: "maximum number of attachments of a session"),
    LimitDescription(
      name: "uploads", keyPath: \.uploads, range: 1...1_000_000, unit: .uploads,
      help: "maximum number of simultaneous uploads to all sessions"),
    LimitDescription(
      name: "diskReserveBytes", keyPath: \.diskReserveBytes, range: 0...1 << 50, unit: .bytes,
      help: "minimum number of free bytes that uploads leave on the disk", isMinimum: true),
    LimitDescription(
      name: "dataBytes", keyPath: \.dataBytes, range: 1_024...1 << 50, unit: .bytes,
      help: "maximum bytes of all sessions' logs and attachments"),
    LimitDescription(
      name: "dataBytesPerAddress", keyPath: \.dataBytesPerAddress, range: 1_024...1 << 50, unit: .bytes,
      help: "maximum bytes of logs and attachments of sessions created from one address, except loopback"),
    LimitDescription(
      name: "sessionLogBytes", keyPath: \.sessionLogBytes, range: 1_024...1 << 40, unit: .bytes,
      help: "maximum bytes of a session's retained entries"),
    LimitDescription(
      name: "catchUpTailBytes", keyPath: \.catchUpTailBytes, range: 0...1 << 32, unit: .bytes,
      help: "maximum bytes of a session's newest entries that stay in memory, encoded as they were sent"),
    LimitDescription(
      name: "historyBytes", keyPath: \.historyBytes, range: 0...1 << 32, unit: .bytes,
      help: "maximum stored bytes of a session's history (its earlier states)"),
    LimitDescription(
      name: "memoryBytes", keyPath: \.memoryBytes, range: 1_024...1 << 44, unit: .bytes,
      help: "maximum bytes of entries in memory, for all sessions together"),
    LimitDescription(
      name: "unsavedSessionBytes", keyPath: \.unsavedSessionBytes, range: 1_024...1 << 40, unit: .bytes,
      help: "maximum bytes of a session's entries that are not on disk yet"),
    LimitDescription(
      name: "unsavedBytes", keyPath: \.unsavedBytes, range: 1_024...1 << 40, unit: .bytes,
      help: "maximum bytes of entries not on disk yet, in all sessions together"),
    LimitDescription(
      name: "sessionKeepSeconds", keyPath: \.sessionKeepSeconds, range: 1...315_360_000,
      unit: .seconds,
      help: "time to keep a session after its last participant left (600 s if it retains no entries)"),
    LimitDescription(
      name: "sessionIdleSeconds", keyPath: \.sessionIdleSeconds, range: 0...86_400,
      unit: .seconds, help: "time for which a session without participants stays in memory"),
    LimitDescription(
      name: "endedKeepSeconds", keyPath: \.endedKeepSeconds, range: 1...315_360_000,
      unit: .seconds, help: "time for which the end of a session is remembered"),
    LimitDescription(
      name: "removalDelaySeconds", keyPath: \.removalDelaySeconds, range: 0...604_800,
      unit: .seconds,
      help:
        "gateway uptime before expired sessions are removed (24 times as long if the clock is not synchronised)"
    ),
    LimitDescription(
      name: "joinSeconds", keyPath: \.joinSeconds, range: 1...3_600, unit: .seconds,
      help: "maximum time for the message `join` to arrive on a new socket"),
    LimitDescription(
      name: "graceSeconds", keyPath: \.graceSeconds, range: 0...86_400, unit: .seconds,
      help: "time for which a participant without a socket stays present"),
    LimitDescription(
      name: "idleSeconds", keyPath: \.idleSeconds, range: 1...86_400, unit: .seconds,
      help: "maximum time for which a connection may be idle between requests"),
    LimitDescription(
      name: "bodyStallSeconds", keyPath: \.bodyStallSeconds, range: 1...3_600, unit: .seconds,
      help: "maximum time for which a request's body may stall"),
    LimitDescription(
      name: "minimumBodyBytesPerSecond", keyPath: \.minimumBodyBytesPerSecond, range: 0...1 << 30,
      unit: .bytes, help: "minimum bytes per second of an upload while all upload slots are taken",
      isMinimum: true),
    LimitDescription(
      name: "bodyRateSeconds", keyPath: \.bodyRateSeconds, range: 1...3_600, unit: .seconds,
      help: "time over which the rate of an upload is averaged"),
    LimitDescription(
      name: "messageSeconds", keyPath: \.messageSeconds, range: 1...3_600, unit: .seconds,
      help: "maximum time for a message to arrive completely"),
  ]
}
