internal import Wire

extension OutgoingEntry {
  /// How it is sent and kept, as the wire has it; what cannot go together is left out.
  var flags: EntryFlags {
    var flags: EntryFlags = isReliable ? .reliable : []
    if targets != nil { flags.insert(.targeted) }
    guard isReliable, targets == nil else { return flags }
    flags.retention = retention
    if onlyIfExisting, retention == .append || retention == .replace { flags.insert(.existing) }
    return flags
  }

  /// Its bytes as the gateway counts them against the rate: payload, type, targets and the fixed part of its header.
  var size: Int {
    payload.count + type.utf8.count + 4 * (targets?.count ?? 0) + ClientEntry.fixedLength
  }

  /// Appends it as a client sends it, with its targets by number.
  func append(to bytes: inout [UInt8], clientSequence: UInt32, targets numbers: [ParticipantNumber]) {
    let type = Array(type.utf8)
    ClientEntry.append(
      to: &bytes, flags: flags, clientSequence: clientSequence, key: key, targets: numbers, type: type.span,
      payload: payload.span)
  }

  /// Appends an entry without a type, which the gateway refuses, and which uses its client sequence up: where one was refused
  /// before, and the gateway has forgotten that.
  static func appendNothing(to bytes: inout [UInt8], clientSequence: UInt32) {
    let nothing: [UInt8] = []
    ClientEntry.append(
      to: &bytes, flags: .reliable, clientSequence: clientSequence, type: nothing.span, payload: nothing.span)
  }
}

extension ActivityChange {
  /// Its bytes as the gateway counts them against the rate: those of the control message.
  var size: Int { ClientControl.activity(self).encoded().count }
}
