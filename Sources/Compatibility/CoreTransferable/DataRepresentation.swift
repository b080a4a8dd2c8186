public import FoundationEssentials
public import UniformTypeIdentifiers

/// A representation as data: closures convert a value to data and data to a value (Apple's `DataRepresentation`).
public struct DataRepresentation<Item: Transferable>: TransferRepresentation, LeafRepresentation {
  /// The representation has no body.
  public typealias Body = Never

  private let exportedType: UTType?
  let importedType: UTType?
  private let exporting: @Sendable (Item) async throws -> Data
  private let importing: @Sendable (Data) async throws -> Item

  /// Creates a representation for export and import.
  public init(
    contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
    importing: @escaping @Sendable (Data) async throws -> Item
  ) {
    exportedType = contentType
    importedType = contentType
    self.exporting = exporting
    self.importing = importing
  }

  /// Creates a representation for export only.
  public init(
    exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data
  ) {
    exportedType = exportedContentType
    importedType = nil
    self.exporting = exporting
    importing = { _ in throw notImported(Item.self, exportedContentType) }
  }

  /// Creates a representation for import only.
  public init(
    importedContentType: UTType, importing: @escaping @Sendable (Data) async throws -> Item
  ) {
    exportedType = nil
    importedType = importedContentType
    exporting = { _ in throw TransferError.notExported(type: String(describing: Item.self)) }
    self.importing = importing
  }

  func exportedType(of item: Item) -> UTType? { exportedType }

  func export(_ item: Item) async throws -> ExportedContent {
    guard let exportedType else { throw TransferError.notExported(type: String(describing: Item.self)) }
    return ExportedContent(
      data: try await exporting(item), contentType: exportedType, suggestedFileName: nil)
  }

  func imported(from data: Data, as type: UTType?) async throws -> Item {
    try await importing(data)
  }
}

func notImported<Item>(_ type: Item.Type, _ contentType: UTType) -> TransferError {
  .notImported(type: String(describing: Item.self), contentType: contentType.identifier)
}
