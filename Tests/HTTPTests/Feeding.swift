import HTTP

/// What a connection's bytes came to, with body content copied out of them.
struct Reading {
  enum Event: Equatable {
    case head(RequestHead)
    case body([UInt8])
    case end
  }

  private(set) var events: [Event] = []
  private(set) var error: RequestError?
  /// How many bytes were left when the reader last said that it had enough, or refused.
  private(set) var rest = 0

  /// The events with neighbouring pieces of a body joined: the same however the bytes were cut.
  var joined: [Event] {
    events.reduce(into: []) { joined, event in
      if case .body(let piece) = event, case .body(let before) = joined.last {
        joined[joined.count - 1] = .body(before + piece)
      } else {
        joined.append(event)
      }
    }
  }

  /// Feeds the bytes to a reader in pieces of that length.
  init(_ bytes: [UInt8], pieces length: Int = .max, limits: RequestLimits = RequestLimits()) {
    let starts = length == .max ? [0] : Array(stride(from: 0, to: bytes.count, by: length))
    self.init(
      starts.map { Array(bytes[$0..<($0 + min(length, bytes.count - $0))]) }, limits: limits)
  }

  /// Feeds these pieces to a reader.
  init(_ pieces: [[UInt8]], limits: RequestLimits = RequestLimits()) {
    var reader = RequestReader(limits: limits)
    for piece in pieces {
      var position = 0
      do throws(RequestError) {
        while let event = try reader.next(in: piece.span, at: &position) {
          switch event {
          case .head(let head): events.append(.head(head))
          case .body(let range): events.append(.body(Array(piece[range])))
          case .end: events.append(.end)
          }
        }
        rest = piece.count - position
      } catch {
        self.error = error
        rest = piece.count - position
        return
      }
    }
  }
}

/// The bytes of a text whose characters are all below U+0100, one each.
func latin1(_ text: String) -> [UInt8] {
  text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
