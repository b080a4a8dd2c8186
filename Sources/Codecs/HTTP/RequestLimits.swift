/// What one message may cost before it is refused. All sizes are bytes.
package struct RequestLimits: Equatable, Sendable {
  /// Request line and fields together, line ends included: beyond it 431.
  package var headBytes = 32 * 1024
  /// The request line without its line end: beyond it 414. RFC 9112 §3 wants 8,000 at the least.
  package var requestLineBytes = 8 * 1024
  /// The method alone: beyond it 501, for none that we know is as long.
  package var methodBytes = 24
  /// Number of fields, in the head and in the trailers each: beyond it 431.
  package var fieldCount = 100
  /// One field line without its line end: beyond it 431.
  package var fieldBytes = 16 * 1024
  /// All trailers of a chunked body together, line ends included: beyond it 431.
  package var trailerBytes = 8 * 1024
  /// All chunk extensions of a body together: beyond it 400. They are ignored, so they may not outweigh the content.
  package var chunkExtensionBytes = 4 * 1024
  /// The body, without its chunks' framing: beyond it 413. Each request begins with this limit.
  package var bodyBytes = 1024 * 1024

  package init() {}
}
