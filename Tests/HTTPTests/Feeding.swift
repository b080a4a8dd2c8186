import HTTP

/// What a connection's bytes came to, with body content copied out of them.
struct Reading: Equatable {
  enum Event: Equatable {
    case head(RequestHead)
    case body([UInt8])
    case end
  }

  var events: [Event] = []
  var error: RequestError?

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
    var reader = RequestReader(limits: limits)
    read(bytes, pieces: length, with: &reader)
  }

  private mutating func read(_ bytes: [UInt8], pieces length: Int, with reader: inout RequestReader) {
    var start = 0
    while start < bytes.count {
      let piece = Array(bytes[start..<(start + min(length, bytes.count - start))])
      start += piece.count
      var position = 0
      do throws(RequestError) {
        while let event = try reader.next(in: piece.span, at: &position) {
          switch event {
          case .head(let head): events.append(.head(head))
          case .body(let range): events.append(.body(Array(piece[range])))
          case .end: events.append(.end)
          }
        }
      } catch {
        self.error = error
        return
      }
    }
  }
}
