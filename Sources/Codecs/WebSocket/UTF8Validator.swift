/// Checks text that arrives in pieces, and says so at the first byte that no UTF-8 can hold (RFC 6455 §8.1).
struct UTF8Validator: Sendable {
  /// The beginning of a sequence that the pieces so far have cut.
  private var carry: [4 of UInt8] = [0, 0, 0, 0]
  private var carried: UInt8 = 0
  private var carryCount: Int {
    get { Int(carried) }
    set { carried = UInt8(newValue) }
  }

  /// True between sequences: a message may end here.
  var isComplete: Bool { carryCount == 0 }

  /// Bytes of an unfinished sequence.
  var pendingCount: Int { carryCount }

  /// Takes the next piece. Gives where its first wrong sequence begins, counted from the piece's first byte
  /// (negative when the sequence began in an earlier piece), or nil when all can still become right.
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
