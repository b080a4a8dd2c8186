public import FoundationEssentials
public import UniformTypeIdentifiers

/// Apple's `DataRepresentation`: a value travels as data that closures make and read.
public struct DataRepresentation<Item: Transferable>: TransferRepresentation, LeafRepresentation {
  /// It is made of nothing else.
  public typealias Body = Never

  private let exportedType: UTType?
  let importedType: UTType?
  private let exporting: @Sendable (Item) async throws -> Data
  private let importing: @Sendable (Data) async throws -> Item

  /// Goes both ways.
  public init(
    contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
    importing: @escaping @Sendable (Data) async throws -> Item
  ) {
    exportedType = contentType
    importedType = contentType
    self.exporting = exporting
    self.importing = importing
  }

  /// Only goes out.
  public init(
    exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data
  ) {
    exportedType = exportedContentType
    importedType = nil
    self.exporting = exporting
    importing = { _ in throw notImported(Item.self, exportedContentType) }
  }

  /// Only comes in.
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
