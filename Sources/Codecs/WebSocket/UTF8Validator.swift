/// A validator of text that arrives in pieces. It reports the first byte that makes the text invalid (RFC 6455 §8.1).
struct UTF8Validator: Sendable {
  /// The incomplete UTF-8 sequence at the end of the checked bytes.
  private var partial: [4 of UInt8] = [0, 0, 0, 0]
  private var storedPartialCount: UInt8 = 0
  private var partialCount: Int {
    get { Int(storedPartialCount) }
    set { storedPartialCount = UInt8(newValue) }
  }

  /// True if the checked bytes do not end within a UTF-8 sequence. Only then may a message end.
  var isComplete: Bool { partialCount == 0 }

  /// The number of bytes in the incomplete UTF-8 sequence at the end of the checked bytes.
  var pendingCount: Int { partialCount }

  /// Checks the next piece. Returns nil if the text is valid so far. Otherwise returns the offset of the first invalid
  /// sequence, relative to the first byte of this piece: negative if the sequence began in an earlier piece.
  mutating func firstError(in bytes: Span<UInt8>) -> Int? {
    var start = 0
    while partialCount > 0, start < bytes.count {
      partial[partialCount] = bytes[start]
      partialCount += 1
      start += 1
      switch Self.check(partial.span.extracting(first: partialCount)) {
      case .complete: partialCount = 0
      case .truncated: continue
      case .invalid: return start - partialCount
      }
    }
    let rest = bytes.extracting(droppingFirst: start)
    switch Self.check(rest) {
    case .complete:
      return nil
    case .invalid(let offset):
      return start + offset
    case .truncated(let offset):
      for index in offset..<rest.count {
        partial[index - offset] = rest[index]
      }
      partialCount = rest.count - offset
      return nil
    }
  }

  private enum Outcome {
    case complete
    case truncated(at: Int)
    case invalid(at: Int)
  }

  private static func check(_ bytes: Span<UInt8>) -> Outcome {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes)
      return .complete
    } catch {
      let offsets = error.byteOffsets
      guard error.kind == .truncatedScalar, offsets.upperBound == bytes.count else {
        return .invalid(at: offsets.lowerBound)
      }
      return .truncated(at: offsets.lowerBound)
    }
  }
}
