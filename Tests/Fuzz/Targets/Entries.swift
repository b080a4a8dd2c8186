internal import Wire

/// The fuzz target that splits a binary message of a client or of a gateway into entries.
enum Entries {
  /// Byte 0 of the input chooses the sender (client or gateway), and byte 1 the maximum payload length. The remaining bytes are a
  /// message.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let isFromClient = reader.byte() & 1 == 0
    let messageBytes = Int(reader.byte())
    let message = reader.takeRest()
    if isFromClient {
      try checkClient(message, messageBytes)
    } else {
      try checkGateway(message)
    }
  }

  private static func checkClient(_ message: [UInt8], _ messageBytes: Int) throws {
    var offset = 0
    while offset < message.count {
      let entry: ClientEntry
      do throws(WireError) {
        entry = try ClientEntry.parse(message.span, at: offset)
      } catch {
        return try expect(!error.detail.isEmpty && error.refusal.code == .badEntry, "\(error)")
      }
      let own = Array(message[offset..<entry.end])
      try check([entry.targets, entry.type, entry.payload], from: offset, to: entry.end)
      try expect(
        try ClientEntry.parse(own.span, at: 0).end == own.count, "without the rest, the entry has another end"
      )

      var targets: [ParticipantNumber] = []
      for index in 0..<entry.targetCount { targets.append(entry.target(at: index, in: message.span)) }
      var written: [UInt8] = []
      ClientEntry.append(
        to: &written, flags: entry.flags, clientSequence: entry.clientSequence, key: entry.key,
        targets: targets, type: message.span.extracting(entry.type),
        payload: message.span.extracting(entry.payload))
      try expect(written == own, "\(own) is written \(written)")

      let error = entry.validationError(in: message.span, messageBytes: messageBytes)
      try expect(error == nil || error?.refusal(clientSequence: 1).detail.isEmpty == false, "no detail")
      if error == nil {
        try expect(
          entry.payload.count <= messageBytes && entry.targetCount <= 1_000, "an accepted entry is too large")
        try expect(
          String(validating: message[entry.type], as: UTF8.self)?.isEmpty == false,
          "an invalid type is accepted")
        try expect(entry.flags.isDisjoint(with: [.system, .reserved]), "invalid flags are accepted")
        try expect(
          entry.flags.contains(.reliable) == (entry.clientSequence > 0),
          "an invalid client sequence is accepted")
      }
      offset = entry.end
    }
  }

  private static func checkGateway(_ message: [UInt8]) throws {
    var offset = 0
    while offset < message.count {
      let entry: GatewayEntry
      do throws(WireError) {
        entry = try GatewayEntry.parse(message.span, at: offset)
      } catch {
        return try expect(!error.detail.isEmpty, "\(error)")
      }
      let own = Array(message[offset..<entry.end])
      try check([entry.type, entry.payload], from: offset, to: entry.end)
      try expect(
        try GatewayEntry.parse(own.span, at: 0).end == own.count,
        "without the rest, the entry has another end")
      var written: [UInt8] = []
      GatewayEntry.append(
        to: &written, flags: entry.flags, sequence: entry.sequence, sender: entry.sender,
        clientSequence: entry.clientSequence, key: entry.key, type: message.span.extracting(entry.type),
        payload: message.span.extracting(entry.payload))
      try expect(written == own, "\(own) is written \(written)")
      offset = entry.end
    }
  }

  /// Checks that the parts are adjacent, and that the last one ends the entry.
  private static func check(_ parts: [Range<Int>], from start: Int, to end: Int) throws {
    var position = start + ClientEntry.fixedLength
    for part in parts {
      try expect(part.lowerBound >= position, "\(parts) in \(start)..<\(end)")
      position = part.upperBound
    }
    try expect(position == end, "\(parts) in \(start)..<\(end)")
  }
}
