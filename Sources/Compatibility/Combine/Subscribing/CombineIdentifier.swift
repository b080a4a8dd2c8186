import Synchronization

/// An identifier of a subscription or subscriber (Apple's `CombineIdentifier`).
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  /// Creates a unique identifier.
  public init() {
    number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Creates the identifier of an object, unique during the lifetime of the object.
  public init(_ object: AnyObject) {
    // The highest bit is set to distinguish this number from the numbers of `init()`, which start at 1 and never become so large.
    number = UInt64(UInt(bitPattern: ObjectIdentifier(object))) | 1 << 63
  }

  /// The number in hexadecimal.
  public var description: String {
    "0x" + String(number, radix: 16)
  }
}

/// A type with an identifier (Apple's `CustomCombineIdentifierConvertible`).
public protocol CustomCombineIdentifierConvertible {
  /// The identifier.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The identifier of the object.
  public var combineIdentifier: CombineIdentifier {
    CombineIdentifier(self)
  }
}
