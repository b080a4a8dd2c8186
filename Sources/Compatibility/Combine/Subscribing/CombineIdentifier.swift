import Synchronization

/// Apple's `CombineIdentifier`: tells subscriptions and subscribers apart.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  /// One that no other has.
  public init() {
    number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// That of an object, for as long as it lives.
  public init(_ object: AnyObject) {
    // Numbers count up from 1 and never get so far as addresses, whose highest bit is ours to set.
    number = UInt64(UInt(bitPattern: ObjectIdentifier(object))) | 1 << 63
  }

  /// The number in words.
  public var description: String {
    "0x" + String(number, radix: 16)
  }
}

/// Apple's `CustomCombineIdentifierConvertible`: what has an identifier.
public protocol CustomCombineIdentifierConvertible {
  /// Its identifier.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The object's own.
  public var combineIdentifier: CombineIdentifier {
    CombineIdentifier(self)
  }
}
