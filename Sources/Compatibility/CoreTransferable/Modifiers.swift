import FoundationEssentials
import UniformTypeIdentifiers

/// The programs that may see a representation (Apple's type). This library ignores the value: every exported value goes to all
/// participants.
public enum TransferRepresentationVisibility: Sendable {
  /// All programs.
  case all
  /// Programs of the same team.
  case team
  /// Programs of the same app group.
  case group
  /// Only the program that exports the value.
  case ownProcess
}

extension TransferRepresentation {
  /// Exports only values that satisfy a condition.
  public func exportingCondition(
    _ condition: @escaping @Sendable (Item) -> Bool
  ) -> some TransferRepresentation<Item> {
    ModifiedRepresentation(base: self, condition: condition, fileName: { _ in nil })
  }

  /// Suggests a file name, with its extension.
  public func suggestedFileName(_ fileName: String) -> some TransferRepresentation<Item> {
    ModifiedRepresentation(base: self, condition: { _ in true }, fileName: { _ in fileName })
  }

  /// Suggests a file name for each value, with its extension.
  public func suggestedFileName(
    _ fileName: @escaping @Sendable (Item) -> String?
  ) -> some TransferRepresentation<Item> {
    ModifiedRepresentation(base: self, condition: { _ in true }, fileName: fileName)
  }

  /// Restricts the visibility of the representation in Apple's API. This function changes nothing: a value goes only to a session
  /// that the program is in.
  public func visibility(_ visibility: TransferRepresentationVisibility) -> some TransferRepresentation<Item>
  {
    self
  }
}

/// A representation with an additional condition or file name.
struct ModifiedRepresentation<Base: TransferRepresentation>: TransferRepresentation, CompositeRepresentation {
  typealias Item = Base.Item
  typealias Body = Never

  let base: Base
  let condition: @Sendable (Item) -> Bool
  let fileName: @Sendable (Item) -> String?

  var parts: [any TransferRepresentation] {
    leaves(of: base, for: Item.self).map { wrap($0) }
  }

  private func wrap(_ leaf: any LeafRepresentation<Item>) -> any TransferRepresentation {
    ModifiedLeaf(base: leaf, condition: condition, fileName: fileName)
  }
}

private struct ModifiedLeaf<Item: Transferable>: LeafRepresentation {
  typealias Body = Never

  let base: any LeafRepresentation<Item>
  let condition: @Sendable (Item) -> Bool
  let fileName: @Sendable (Item) -> String?

  var importedType: UTType? { base.importedType }

  func exportedType(of item: Item) -> UTType? {
    condition(item) ? base.exportedType(of: item) : nil
  }

  func export(_ item: Item) async throws -> ExportedContent {
    let content = try await base.export(item)
    return ExportedContent(
      data: content.data, contentType: content.contentType,
      suggestedFileName: fileName(item) ?? content.suggestedFileName)
  }

  func imported(from data: Data, as type: UTType?) async throws -> Item {
    try await base.imported(from: data, as: type)
  }
}
