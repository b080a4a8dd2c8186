/// Functions that write content of unknown length as a chunked body (RFC 9112 §7.1). The head must have
/// `Transfer-Encoding: chunked`.
package enum ChunkWriter {
  /// Appends one chunk. Appends nothing for empty content, because an empty chunk would end the body.
  package static func append(_ content: Span<UInt8>, to bytes: inout [UInt8]) {
    guard !content.isEmpty else { return }
    bytes.append(contentsOf: String(content.count, radix: 16).utf8)
    bytes.append(contentsOf: "\r\n".utf8)
    for index in content.indices { bytes.append(content[index]) }
    bytes.append(contentsOf: "\r\n".utf8)
  }

  /// Appends the end of the body, without trailers.
  package static func appendEnd(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "0\r\n\r\n".utf8)
  }
}
