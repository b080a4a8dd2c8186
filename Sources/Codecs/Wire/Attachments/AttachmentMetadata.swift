/// What a program says about an attachment: any JSON, kept as the text it came as.
///
/// As text it costs what it was sent with; as values a few kilobytes of brackets would cost a hundred.
package struct AttachmentMetadata: Equatable, Sendable {
  /// Levels that are not the metadata's own: three around it in a list of attachments, and one for what stands in its
  /// innermost array. With them the whole list can be read again.
  private static let surroundingDepth = 4

  /// One JSON value in UTF-8.
  package let text: [UInt8]

  /// Reads metadata as it was sent.
  ///
  /// - Parameters:
  ///   - text: JSON in UTF-8, of at most `limit` bytes.
  ///   - limit: `metadataBytes`.
  ///   - combining: as for `JSONParser.parse`.
  /// - Returns: `nil` for none: no bytes at all, or `null`.
  /// - Throws: `bad-request` when it is too long, with `limit` and `actual`, when it is no JSON, or nested too deep.
  package static func parse(
    _ text: Span<UInt8>, limit: Int, combining: Int = JSONParser.maximumCombining
  ) throws(Refusal) -> AttachmentMetadata? {
    guard text.count <= limit else {
      throw Refusal(
        .badRequest, "An attachment's metadata has at most \(limit) bytes as JSON; this has \(text.count).",
        limit: limit, actual: text.count)
    }
    guard !text.isEmpty else { return nil }
    do throws(WireError) {
      guard try JSONParser.parse(text, depth: 1 + surroundingDepth, combining: combining) != .null else {
        return nil
      }
    } catch {
      throw Refusal(
        .badRequest,
        "An attachment's metadata is JSON in UTF-8, nested at most \(JSONValue.maximumDepth - surroundingDepth) deep."
      )
    }
    var bytes: [UInt8] = []
    bytes.append(text)
    replaceHalfPairs(in: &bytes)
    return AttachmentMetadata(text: bytes)
  }

  /// Half a surrogate pair, which a browser may send and strict readers refuse with all that stands around it, becomes
  /// U+FFFD: as long, and what every other text of the wire has in its place.
  private static func replaceHalfPairs(in text: inout [UInt8]) {
    var position = 0
    while let escape = text[position...].firstIndex(of: UInt8(ascii: "\\")) {
      position = escape + 2
      guard let unit = surrogate(text, at: escape) else { continue }
      if unit < 0xDC00, let low = surrogate(text, at: escape + 6), low >= 0xDC00 {
        position = escape + 12
      } else {
        text.replaceSubrange(escape + 2..<escape + 6, with: "fffd".utf8)
      }
    }
  }

  /// The surrogate that is escaped there in JSON that was read; nil when there is something else.
  private static func surrogate(_ text: [UInt8], at position: Int) -> UInt16? {
    guard text[position...].starts(with: #"\u"#.utf8) else { return nil }
    let digits = String(decoding: text[(position + 2)...].prefix(4), as: UTF8.self)
    return UInt16(digits, radix: 16).flatMap { 0xD800..<0xE000 ~= $0 ? $0 : nil }
  }

  private init(text: [UInt8]) {
    self.text = text
  }
}

extension AttachmentMetadata: JSONWritable, Decodable {
  /// Reads any JSON, for the client's role; its text is then compact, members in the order of their names.
  package init(from decoder: any Decoder) throws {
    text = WireJSON.encode(try JSONValue(from: decoder))
  }

  /// Writes the JSON it is.
  package func write(to writer: inout JSONWriter) {
    writer.write(json: text)
  }
}
