/// Apple's `Transferable`: a type that says as which data its values travel, and is made of such data again.
public protocol Transferable: SendableMetatype {
  /// What it says.
  associatedtype Representation: TransferRepresentation

  /// As which data a value travels: the first that can, when it goes out; the one that fits, when it comes in.
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

/// Apple's `TransferRepresentation`: one way, or several, in which values of a type travel.
public protocol TransferRepresentation<Item>: Sendable {
  /// Whose values.
  associatedtype Item: Transferable
  /// What it is made of.
  associatedtype Body: TransferRepresentation

  /// What it is made of.
  @TransferRepresentationBuilder<Item> var body: Body { get }
}

/// What is made of nothing else has no body.
extension Never: Transferable, TransferRepresentation {
  /// There are no values.
  public typealias Item = Never
  /// There is none.
  public typealias Representation = Never
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public static var transferRepresentation: Never { fatalError("Never has no representation") }
  /// There is none.
  public var body: Never { fatalError("Never has no representation") }
}

extension TransferRepresentation where Body == Never {
  /// There is none: what calls this does not know that it has something that is made of nothing else.
  public var body: Never { fatalError("\(Self.self) is made of nothing else") }
}

/// Apple's `TransferRepresentationBuilder`: puts representations together, the preferred one first.
@resultBuilder
public enum TransferRepresentationBuilder<Item: Transferable> {
  /// The first, which is preferred.
  public static func buildPartialBlock<Content: TransferRepresentation>(first: Content) -> Content
  where Content.Item == Item {
    first
  }

  /// One more, after the others.
  public static func buildPartialBlock<Others: TransferRepresentation, Next: TransferRepresentation>(
    accumulated: Others, next: Next
  ) -> TupleTransferRepresentation<Item, (Others, Next)> where Others.Item == Item, Next.Item == Item {
    TupleTransferRepresentation(parts: [accumulated, next])
  }

  /// One, as it is.
  public static func buildExpression<Content: TransferRepresentation>(_ content: Content) -> Content
  where Content.Item == Item {
    content
  }
}

/// Apple's `TupleTransferRepresentation`: several representations, the preferred one first.
public struct TupleTransferRepresentation<Item: Transferable, Value>: TransferRepresentation,
  CompositeRepresentation
{
  /// It is made of what the builder was given.
  public typealias Body = Never

  let parts: [any TransferRepresentation]
}
