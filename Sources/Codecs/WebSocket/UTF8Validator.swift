/// A validator of text that arrives in pieces. It reports the first byte that makes the text invalid (RFC 6455 §8.1).
struct UTF8Validator: Sendable {
  /// The incomplete sequence at the end of the pieces so far.
  private var carry: [4 of UInt8] = [0, 0, 0, 0]
  private var carried: UInt8 = 0
  private var carryCount: Int {
    get { Int(carried) }
    set { carried = UInt8(newValue) }
  }

  /// True between sequences, where a message may end.
  var isComplete: Bool { carryCount == 0 }

  /// The number of bytes of the incomplete sequence.
  var pendingCount: Int { carryCount }

  /// Checks the next piece. Returns the offset of its first invalid sequence from the piece's first byte (negative if
  /// the sequence began in an earlier piece), or nil if the text can still become valid.
  mutating func firstError(in bytes: Span<UInt8>) -> Int? {
    var start = 0
    while carryCount > 0, start < bytes.count {
      carry[carryCount] = bytes[start]
      carryCount += 1
      start += 1
      switch Self.check(carry.span.extracting(first: carryCount)) {
      case .complete: carryCount = 0
      case .cut: continue
      case .wrong: return start - carryCount
      }
    }
    let rest = bytes.extracting(droppingFirst: start)
    switch Self.check(rest) {
    case .complete:
      return nil
    case .wrong(let offset):
      return start + offset
    case .cut(let offset):
      for index in offset..<rest.count {
        carry[index - offset] = rest[index]
      }
      carryCount = rest.count - offset
      return nil
    }
  }

  private enum Outcome {
    case complete
    case cut(at: Int)
    case wrong(at: Int)
  }

  private static func check(_ bytes: Span<UInt8>) -> Outcome {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes)
      return .complete
    } catch {
      let offsets = error.byteOffsets
      guard error.kind == .truncatedScalar, offsets.upperBound == bytes.count else {
        return .wrong(at: offsets.lowerBound)
      }
      return .cut(at: offsets.lowerBound)
    }
  }
}
