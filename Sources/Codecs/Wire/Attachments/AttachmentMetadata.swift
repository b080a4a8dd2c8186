/// The metadata of an attachment: any JSON, stored as the text that was sent.
///
/// The text takes no more memory than the bytes that were sent. Parsed into `JSONValue`s, a few kilobytes of brackets would
/// take a hundred kilobytes.
package struct AttachmentMetadata: Equatable, Sendable {
  /// The number of nesting levels that metadata must leave free, so that a list of attachments with this metadata can be
  /// parsed: three levels of the list around the metadata, and one level for the values in the innermost array of the metadata.
  private static let surroundingDepth = 4

  /// One JSON value in UTF-8.
  package let text: [UInt8]

  /// Parses metadata as it was sent.
  ///
  /// - Parameters:
  ///   - text: JSON in UTF-8, of at most `limit` bytes.
  ///   - limit: the limit `metadataBytes`.
  ///   - combiningLimit: as for `JSONParser.parse`.
  /// - Returns: the metadata; `nil` if `text` is empty or `null`.
  /// - Throws: `bad-request` for text that is too long, with `limit` and `actual`, and for text that is not JSON, or
  ///   nested too deeply.
  package static func parse(
    _ text: Span<UInt8>, limit: Int, combiningLimit: Int = JSONParser.maximumCombining
  ) throws(Refusal) -> AttachmentMetadata? {
    guard text.count <= limit else {
      throw Refusal(
        .badRequest,
        "An attachment's metadata may have at most \(limit) bytes of JSON; the given metadata has \(text.count) bytes.",
        limit: limit, actual: text.count)
    }
    guard !text.isEmpty else { return nil }
    do throws(WireError) {
      guard try JSONParser.parse(text, depth: 1 + surroundingDepth, combiningLimit: combiningLimit) != .null
      else {
        return nil
      }
    } catch {
      throw Refusal(
        .badRequest,
        "An attachment's metadata must be JSON in UTF-8, nested at most \(JSONValue.maximumDepth - surroundingDepth) levels deep."
      )
    }
    var bytes: [UInt8] = []
    bytes.append(text)
    replaceUnpairedSurrogates(in: &bytes)
    return AttachmentMetadata(text: bytes)
  }

  /// Replaces the escape of each unpaired surrogate by the escape of U+FFFD, which has the same length. A browser may send an
  /// unpaired surrogate, and strict parsers refuse a document that contains one. In all other texts on the wire, U+FFFD also
  /// replaces each unpaired surrogate.
  private static func replaceUnpairedSurrogates(in text: inout [UInt8]) {
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

  /// Returns the surrogate that is escaped at a position in valid JSON; nil if there is none.
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
  /// Decodes metadata that a client has received: any JSON value. The stored text is then compact, with members sorted by name.
  package init(from decoder: any Decoder) throws {
    text = WireJSON.encode(try JSONValue(from: decoder))
  }

  /// Writes the JSON text.
  package func write(to writer: inout JSONWriter) {
    writer.write(json: text)
  }
}
