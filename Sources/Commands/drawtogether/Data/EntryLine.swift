internal import FoundationEssentials
internal import Wire

/// The format of an entry in an export: one line of JSON.
enum EntryLine {
  /// Returns the line of an entry, with its line feed.
  ///
  /// A JSON payload is written unchanged as `payload`; any other payload is written in base64 as `payloadBase64`; an empty one is
  /// omitted. JSON that is nested deeper than the wire allows, or with a number that does not fit into a `Double`, is written in
  /// base64.
  ///
  /// - Parameters:
  ///   - entry: the offsets of the entry in `bytes`.
  ///   - bytes: the record that contains the entry.
  ///   - name: the name of the sender; nil for the gateway itself.
  ///   - targets: the receivers; nil for all participants.
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

  /// Writes a payload as `payload` or `payloadBase64`.
  static func write(_ payload: Span<UInt8>, to writer: inout JSONWriter) {
    guard !payload.isEmpty else { return }
    var copy: [UInt8] = []
    copy.append(payload)
    if isJSON(payload) {
      writer.name("payload")
      // In valid JSON, line breaks occur only between values, where a space has the same meaning.
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
