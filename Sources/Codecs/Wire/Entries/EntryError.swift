/// A rule for senders (see the section in `Wire.md`) that one entry breaks. The other entries of its message may be valid.
package enum EntryError: Error, Equatable, Sendable {
  /// The entry has flag bit 7, which marks system entries. Only the gateway may set this flag.
  case systemFlag
  /// The entry has flag bit 6, which is reserved and must be 0.
  case reservedFlag
  /// The entry is unreliable, but asks to be retained.
  case retentionOnUnreliable(Retention)
  /// The entry is unreliable, but has a client sequence. The value is this client sequence.
  case sequenceOnUnreliable(UInt32)
  /// The entry is reliable, but its client sequence is 0. This error consumes no client sequence.
  case noSequenceOnReliable
  /// The entry has a list of targets, but asks to be retained.
  case retentionWithTargets(Retention)
  /// The entry has the flag `existing`, but its retention is neither append nor replace.
  case existingWithoutAppendOrReplace(Retention)
  /// The message type of the entry is empty.
  case emptyType
  /// The message type of the entry is not UTF-8.
  case typeNotUTF8
  /// The entry removes a key, but has a payload.
  case removeWithPayload(length: Int)
  /// The entry has too many targets.
  case tooManyTargets(limit: Int, actual: Int)
  /// The payload is longer than `messageBytes`.
  case payloadTooLarge(limit: Int, actual: Int)

  /// The code: `message-too-large` if the payload is too large, else `bad-entry`.
  package var code: ErrorCode {
    if case .payloadTooLarge = self { .messageTooLarge } else { .badEntry }
  }

  /// The broken rule in words, for developers of clients.
  package var detail: String {
    switch self {
    case .systemFlag: "Only the gateway sends system entries (flag bit 7)."
    case .reservedFlag: "Flag bit 6 is reserved and must be 0."
    case .retentionOnUnreliable(let retention):
      "An unreliable entry cannot be retained (retention \(retention))."
    case .sequenceOnUnreliable(let sequence):
      "An unreliable entry must have client sequence 0, not \(sequence)."
    case .noSequenceOnReliable: "A reliable entry needs a client sequence of 1 or more."
    case .retentionWithTargets(let retention):
      "An entry with a target list cannot be retained (retention \(retention))."
    case .existingWithoutAppendOrReplace(let retention):
      "The flag `existing` is only valid with retention append or replace, not with \(retention)."
    case .emptyType: "A message type must have at least one byte."
    case .typeNotUTF8: "A message type must be UTF-8."
    case .removeWithPayload(let length):
      "An entry that removes a key cannot have a payload; this entry has \(length) bytes."
    case .tooManyTargets(let limit, let actual):
      "An entry may have at most \(limit) targets; this entry has \(actual)."
    case .payloadTooLarge(let limit, let actual):
      "A payload may have at most \(limit) bytes; this payload has \(actual)."
    }
  }

  /// Returns the `error` message for the entry with this client sequence.
  package func refusal(clientSequence: UInt32) -> Refusal {
    var refusal = Refusal(code, detail)
    refusal.clientSequence = clientSequence
    switch self {
    case .tooManyTargets(let limit, let actual), .payloadTooLarge(let limit, let actual):
      refusal.limit = UInt64(clamping: limit)
      refusal.actual = UInt64(clamping: actual)
    default:
      break
    }
    return refusal
  }
}

extension ClientEntry {
  /// Returns the first rule for senders that the entry breaks, among the rules that do not depend on the session.
  ///
  /// - Parameters:
  ///   - bytes: The message of the entry.
  ///   - messageBytes: The limit `messageBytes`: the maximum number of bytes of a payload.
  /// - Returns: `nil` for a valid entry.
  package func validationError(in bytes: Span<UInt8>, messageBytes: Int = 262_144) -> EntryError? {
    if flags.contains(.system) { return .systemFlag }
    if flags.contains(.reserved) { return .reservedFlag }
    let retention = flags.retention
    if flags.contains(.reliable) {
      if clientSequence == 0 { return .noSequenceOnReliable }
    } else {
      if retention != .none { return .retentionOnUnreliable(retention) }
      if clientSequence != 0 { return .sequenceOnUnreliable(clientSequence) }
    }
    if flags.contains(.targeted) {
      if retention != .none { return .retentionWithTargets(retention) }
      if targetCount > Self.maximumTargets {
        return .tooManyTargets(limit: Self.maximumTargets, actual: targetCount)
      }
    }
    if flags.contains(.existing), retention != .append, retention != .replace {
      return .existingWithoutAppendOrReplace(retention)
    }
    if type.isEmpty { return .emptyType }
    if !bytes.extracting(type).isUTF8 { return .typeNotUTF8 }
    if retention == .remove, !payload.isEmpty { return .removeWithPayload(length: payload.count) }
    if payload.count > messageBytes {
      return .payloadTooLarge(limit: messageBytes, actual: payload.count)
    }
    return nil
  }
}

extension Span where Element == UInt8 {
  /// True if the bytes are UTF-8. Does not copy them.
  package var isUTF8: Bool {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: self)
      return true
    } catch {
      return false
    }
  }
}
