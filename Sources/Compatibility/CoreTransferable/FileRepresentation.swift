public import FoundationEssentials
public import UniformTypeIdentifiers

/// Apple's `SentTransferredFile`: a file that a value travels as.
public struct SentTransferredFile: Sendable {
  /// Where it is.
  public let file: URL
  /// Whether the receiver may open the file itself; here it always gets a copy.
  public let allowAccessingOriginalFile: Bool

  /// A file at a place.
  public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
    self.file = file
    self.allowAccessingOriginalFile = allowAccessingOriginalFile
  }
}

/// Apple's `ReceivedTransferredFile`: a file that a value traveled as.
public struct ReceivedTransferredFile: Sendable {
  /// Where it is; it is removed once the value is made of it.
  public let file: URL
  /// Whether it is the sender's own; here it never is.
  public let isOriginalFile: Bool
}

/// Apple's `FileRepresentation`: a value travels as a file.
public struct FileRepresentation<Item: Transferable>: TransferRepresentation, LeafRepresentation {
  /// It is made of nothing else.
  public typealias Body = Never

  private let exportedType: UTType?
  let importedType: UTType?
  private let exporting: @Sendable (Item) async throws -> SentTransferredFile
  private let importing: @Sendable (ReceivedTransferredFile) async throws -> Item

  /// Goes both ways.
  public init(
    contentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
    exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile,
    importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    exportedType = contentType
    importedType = contentType
    self.exporting = exporting
    self.importing = importing
  }

  /// Only goes out.
  public init(
    exportedContentType: UTType, shouldAllowToOpenInPlace: Bool = false,
    exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
  ) {
    exportedType = exportedContentType
    importedType = nil
    self.exporting = exporting
    importing = { _ in throw notImported(Item.self, exportedContentType) }
  }

  /// Only comes in.
  public init(
    importedContentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
    importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    exportedType = nil
    importedType = importedContentType
    exporting = { _ in throw TransferError.notExported(type: String(describing: Item.self)) }
    self.importing = importing
  }

  func exportedType(of item: Item) -> UTType? { exportedType }

  func export(_ item: Item) async throws -> ExportedContent {
    guard let exportedType else { throw TransferError.notExported(type: String(describing: Item.self)) }
    let sent = try await exporting(item)
    return ExportedContent(
      data: try Data(contentsOf: sent.file), contentType: exportedType,
      suggestedFileName: sent.file.lastPathComponent)
  }

  func imported(from data: Data, as type: UTType?) async throws -> Item {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
    try files.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // What cannot be removed is the system's to remove, as all in this folder is.
    defer { try? files.removeItem(at: folder) }
    let ending = (type?.preferredFilenameExtension ?? importedType?.preferredFilenameExtension).map {
      ".\($0)"
    }
    let file = folder.appending(path: "file" + (ending ?? ""))
    try data.write(to: file)
    return try await importing(ReceivedTransferredFile(file: file, isOriginalFile: false))
  }
}
