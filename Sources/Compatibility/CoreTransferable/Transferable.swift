/// A type whose values can be exported as data and imported from data (Apple's `Transferable`).
public protocol Transferable: SendableMetatype {
  /// The type of the representation.
  associatedtype Representation: TransferRepresentation

  /// The representations. A value is exported by the first representation that can export it, and imported by the representation
  /// that matches the content type.
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

/// One representation of a type's values, or several (Apple's `TransferRepresentation`).
public protocol TransferRepresentation<Item>: Sendable {
  /// The type of the values.
  associatedtype Item: Transferable
  /// The type of the body.
  associatedtype Body: TransferRepresentation

  /// The representations of which this representation consists.
  @TransferRepresentationBuilder<Item> var body: Body { get }
}

/// `Never` is the `Body` type of a representation that has no body.
extension Never: Transferable, TransferRepresentation {
  /// `Never` has no values.
  public typealias Item = Never
  /// `Never` has no representation.
  public typealias Representation = Never
  /// `Never` has no body.
  public typealias Body = Never

  /// Traps, because `Never` has no representation.
  public static var transferRepresentation: Never {
    fatalError("the type Never has no transfer representation")
  }
  /// Traps, because `Never` has no body.
  public var body: Never { fatalError("the type Never has no body") }
}

extension TransferRepresentation where Body == Never {
  /// Traps, because the representation has no body. Callers must not read the body of such a representation.
  public var body: Never { fatalError("\(Self.self) has no body") }
}

/// Combines representations, the preferred one first (Apple's `TransferRepresentationBuilder`).
@resultBuilder
public enum TransferRepresentationBuilder<Item: Transferable> {
  /// Returns the first representation, which is preferred.
  public static func buildPartialBlock<Content: TransferRepresentation>(first: Content) -> Content
  where Content.Item == Item {
    first
  }

  /// Appends a representation.
  public static func buildPartialBlock<Others: TransferRepresentation, Next: TransferRepresentation>(
    accumulated: Others, next: Next
  ) -> TupleTransferRepresentation<Item, (Others, Next)> where Others.Item == Item, Next.Item == Item {
    TupleTransferRepresentation(parts: [accumulated, next])
  }

  /// Returns a representation unchanged.
  public static func buildExpression<Content: TransferRepresentation>(_ content: Content) -> Content
  where Content.Item == Item {
    content
  }
}

/// A list of representations, the preferred one first (Apple's `TupleTransferRepresentation`).
public struct TupleTransferRepresentation<Item: Transferable, Value>: TransferRepresentation,
  CompositeRepresentation
{
  /// The representation has no body.
  public typealias Body = Never

  let parts: [any TransferRepresentation]
}
