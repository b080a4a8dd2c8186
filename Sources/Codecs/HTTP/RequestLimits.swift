/// The limits of one message. All sizes are bytes.
package struct RequestLimits: Equatable, Sendable {
  /// The maximum number of bytes of the request line and the fields together, including line ends. A longer head is
  /// refused with status 431.
  package var headBytes = 32 * 1024
  /// The maximum number of bytes of the request line without its line end. A longer line is refused with status 414. RFC 9112 §3
  /// requires a limit of at least 8,000.
  package var requestLineBytes = 8 * 1024
  /// The maximum number of bytes of the method. A longer method is refused with status 501, because no supported method is so
  /// long.
  package var methodBytes = 24
  /// The maximum number of fields in the head, and also in the trailers. More fields are refused with status 431.
  package var fieldCount = 100
  /// The maximum number of bytes of one field line without its line end. A longer line is refused with status 431.
  package var fieldBytes = 16 * 1024
  /// The maximum number of bytes of all trailers of a chunked body, including line ends. Longer trailers are refused with
  /// status 431.
  package var trailerBytes = 8 * 1024
  /// The maximum number of bytes of all chunk extensions of a body. Longer extensions are refused with status 400. Chunk
  /// extensions are ignored, and the limit prevents a peer from sending many ignored bytes.
  package var chunkExtensionBytes = 4 * 1024
  /// The maximum number of bytes of the body, without the framing of chunks. A longer body is refused with status 413. At the
  /// beginning of each request, `RequestReader.bodyLimit` is set to this value.
  package var bodyBytes = 1024 * 1024

  package init() {}
}
