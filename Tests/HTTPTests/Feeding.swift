import HTTP

/// The events that a reader reports for the bytes of a connection, with copies of the body content.
struct Reading {
  enum Event: Equatable {
    case head(RequestHead)
    case body([UInt8])
    case end
  }

  private(set) var events: [Event] = []
  private(set) var error: MessageError?
  /// The number of bytes of the last piece that the reader did not read. It is 0 if the reader has accepted all bytes.
  private(set) var rest = 0

  /// The events, with adjacent pieces of a body joined. So the result does not depend on how the bytes were divided into pieces.
  var joined: [Event] {
    events.reduce(into: []) { joined, event in
      if case .body(let piece) = event, case .body(let before) = joined.last {
        joined[joined.count - 1] = .body(before + piece)
      } else {
        joined.append(event)
      }
    }
  }

  /// Passes the bytes to a reader in pieces of the same length.
  init(_ bytes: [UInt8], pieces length: Int = .max, limits: RequestLimits = RequestLimits()) {
    let starts = length == .max ? [0] : Array(stride(from: 0, to: bytes.count, by: length))
    self.init(
      starts.map { Array(bytes[$0..<($0 + min(length, bytes.count - $0))]) }, limits: limits)
  }

  /// Passes pieces to a reader.
  init(_ pieces: [[UInt8]], limits: RequestLimits = RequestLimits()) {
    var reader = RequestReader(limits: limits)
    for piece in pieces {
      var position = 0
      do throws(MessageError) {
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

/// Returns the Latin-1 bytes of a text.
func latin1(_ text: String) -> [UInt8] {
  text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
