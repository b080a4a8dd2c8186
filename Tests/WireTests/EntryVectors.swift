import FoundationEssentials
import TestSupport
import Testing
import Wire

/// The content of `Tests/Vectors/entries.json`.
struct EntryVectors: Decodable, Sendable {
  static let file: EntryVectors = Vectors.load("entries")

  let fromClients: [EntryVector]
  let fromGateway: [EntryVector]
  let undividable: [UndividableVector]
  let refusedFromClients: [RefusedEntryVector]
  let refusedFromGateway: [RefusedMessageVector]
}

/// The fields of an entry, and its bytes.
struct EntryVector: Decodable, Sendable, CustomTestStringConvertible {
  static let retentions: [String: Retention] = [
    "none": .none, "append": .append, "replace": .replace, "remove": .remove,
  ]
  private static let bits: [String: UInt8] = [
    "reliable": 0x01, "targeted": 0x08, "sealed": 0x10, "existing": 0x20, "system": 0x80,
  ]

  let name: String
  let flags: [String]
  let retention: String
  let sequence: UInt64?
  let sender: ParticipantNumber?
  let clientSequence: UInt32
  let key: UUID?
  let targets: [ParticipantNumber]?
  let type: String
  let payload: VectorBytes
  let bytes: VectorBytes

  var testDescription: String { name }

  /// The flags with the retention. An unknown name sets all bits.
  var entryFlags: EntryFlags {
    let retention = Self.retentions[retention]?.rawValue ?? 0xFF
    return EntryFlags(rawValue: flags.reduce(retention << 1) { $0 | (Self.bits[$1] ?? 0xFF) })
  }

  var entryKey: EntryKey { key.map { EntryKey($0) } ?? .zero }
}

/// A binary message of a client that cannot be divided into entries.
struct UndividableVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: VectorBytes
  let error: String
  let have: Int?
  let length: Int?
  let available: Int?
  let needed: Int?

  var testDescription: String { name }

  /// The expected error; nil for an unknown name.
  var wireError: WireError? {
    switch error {
    case "length-truncated": .entryLengthTruncated(have: have ?? -1)
    case "exceeds-message": .entryExceedsMessage(length: length ?? -1, available: available ?? -1)
    case "too-short": .entryTooShort(length: length ?? -1, needed: needed ?? -1)
    default: nil
    }
  }
}

/// An entry of a client that breaks a rule for senders.
struct RefusedEntryVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: VectorBytes
  let fault: String
  let retention: String?
  let clientSequence: UInt32?
  let length: Int?
  let limit: Int?
  let actual: Int?
  let code: String

  var testDescription: String { name }

  /// The expected error; nil for an unknown name.
  var entryError: EntryError? {
    let retention = EntryVector.retentions[retention ?? "none"] ?? Retention.none
    switch fault {
    case "system-flag": return .systemFlag
    case "reserved-flag": return .reservedFlag
    case "retention-on-unreliable": return .retentionOnUnreliable(retention)
    case "sequence-on-unreliable": return .sequenceOnUnreliable(clientSequence ?? 0)
    case "no-sequence-on-reliable": return .noSequenceOnReliable
    case "retention-with-targets": return .retentionWithTargets(retention)
    case "existing-without-append-or-replace": return .existingWithoutAppendOrReplace(retention)
    case "empty-type": return .emptyType
    case "type-not-utf8": return .typeNotUTF8
    case "remove-with-payload": return .removeWithPayload(length: length ?? -1)
    case "too-many-targets": return .tooManyTargets(limit: limit ?? -1, actual: actual ?? -1)
    case "payload-too-large": return .payloadTooLarge(limit: limit ?? -1, actual: actual ?? -1)
    default: return nil
    }
  }
}

/// A binary message of the gateway that some receivers refuse.
struct RefusedMessageVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: VectorBytes
  let refusedBy: [String]

  var testDescription: String { name }
}
