internal import FoundationEssentials
internal import Wire

/// An entry as `export` writes it: one line of JSON.
enum EntryLine {
  /// The line of an entry, with its line feed.
  ///
  /// A payload that is JSON stands there as it is, under `payload`, and any other in base64, under `payloadBase64`; an empty
  /// one is left out. JSON that is nested deeper than the wire's own may be, or with a number that no `Double` holds, counts
  /// as any other.
  ///
  /// - Parameters:
  ///   - entry: where the parts lie in `bytes`.
  ///   - bytes: the record that it stands in.
  ///   - name: what its sender is called; nil for the gateway itself.
  ///   - targets: who got it; nil: everybody.
  /// - Returns: JSON in UTF-8.
  static func json(
    _ entry: GatewayEntry, of bytes: Span<UInt8>, sender name: String?, targets: [ParticipantNumber]?
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("sequence", entry.sequence)
      writer.name("sender")
      writer.object { writer in
        writer.member("number", entry.sender)
        writer.member("name", name)
      }
      if entry.clientSequence != 0 { writer.member("clientSequence", entry.clientSequence) }
      writer.member("type", text(entry.type, bytes))
      let flags = entry.flags
      if flags.retention != .none {
        writer.member("key", entry.key.uuid)
        writer.member("retention", "\(flags.retention)")
      }
      if flags.contains(.system) { writer.member("system", true) }
      if flags.contains(.sealed) { writer.member("sealed", true) }
      if flags.contains(.existing) { writer.member("changedNothing", true) }
      if let targets {
        writer.name("targets")
        writer.array { writer in
          for target in targets {
            writer.element()
            writer.write(target)
          }
        }
      }
      write(bytes.extracting(entry.payload), to: &writer)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Writes the members of a payload.
  static func write(_ payload: Span<UInt8>, to writer: inout JSONWriter) {
    guard !payload.isEmpty else { return }
    var copy: [UInt8] = []
    copy.append(payload)
    if isJSON(payload) {
      writer.name("payload")
      // Line feeds stand between values only, where a space says the same.
      writer.write(json: copy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
    } else {
      writer.member("payloadBase64", Data(copy).base64EncodedString())
    }
  }

  private static func isJSON(_ bytes: Span<UInt8>) -> Bool {
    do throws(WireError) {
      _ = try JSONParser.parse(bytes)
      return true
    } catch {
      return false
    }
  }

  private static func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
    var copy: [UInt8] = []
    copy.append(bytes.extracting(range))
    return String(decoding: copy, as: UTF8.self)
  }
}
