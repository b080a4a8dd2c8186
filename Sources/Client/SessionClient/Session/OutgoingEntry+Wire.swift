internal import Wire

extension OutgoingEntry {
  /// The flags on the wire. An unreliable or targeted entry gets no retention flags, because such entries cannot be retained.
  var flags: EntryFlags {
    var flags: EntryFlags = isReliable ? .reliable : []
    if targets != nil { flags.insert(.targeted) }
    guard isReliable, targets == nil else { return flags }
    flags.retention = retention
    if onlyIfExisting, retention == .append || retention == .replace { flags.insert(.existing) }
    return flags
  }

  /// The number of bytes that the gateway counts for the rate limit: payload, type, targets and the fixed part of the header.
  var size: Int {
    payload.count + type.utf8.count + 4 * (targets?.count ?? 0) + ClientEntry.fixedLength
  }

  /// Appends the entry in the format for entries of clients. The targets are given by their participant numbers.
  func append(to bytes: inout [UInt8], clientSequence: UInt32, targets numbers: [ParticipantNumber]) {
    let type = Array(type.utf8)
    ClientEntry.append(
      to: &bytes, flags: flags, clientSequence: clientSequence, key: key, targets: numbers, type: type.span,
      payload: payload.span)
  }

  /// Appends a filler: an entry without a type. The gateway refuses the filler, and its client sequence is then used up. The
  /// filler takes the place of an entry that was refused before, if the gateway no longer knows about that refusal.
  static func appendFiller(to bytes: inout [UInt8], clientSequence: UInt32) {
    let nothing: [UInt8] = []
    ClientEntry.append(
      to: &bytes, flags: .reliable, clientSequence: clientSequence, type: nothing.span, payload: nothing.span)
  }
}

extension ActivityChange {
  /// The number of bytes that the gateway counts for the rate limit: the bytes of the control message.
  var size: Int { ClientControl.activity(self).encoded().count }
}
