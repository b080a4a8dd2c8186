public import FoundationEssentials
public import UniformTypeIdentifiers

/// A file that represents a value (Apple's `SentTransferredFile`).
public struct SentTransferredFile: Sendable {
  /// The location of the file.
  public let file: URL
  /// True if the receiver may open the original file instead of a copy. Without effect: the receiver always gets a copy.
  public let allowAccessingOriginalFile: Bool

  /// Creates a file at a location.
  public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
    self.file = file
    self.allowAccessingOriginalFile = allowAccessingOriginalFile
  }
}

/// A file that a value is imported from (Apple's `ReceivedTransferredFile`).
public struct ReceivedTransferredFile: Sendable {
  /// The location of the file, which is removed after the import.
  public let file: URL
  /// True if the file is the sender's original file. In this implementation, the value is always false.
  public let isOriginalFile: Bool
}

/// A representation as a file (Apple's `FileRepresentation`).
public struct FileRepresentation<Item: Transferable>: TransferRepresentation, LeafRepresentation {
  /// The representation has no body.
  public typealias Body = Never

  private let exportedType: UTType?
  let importedType: UTType?
  private let exporting: @Sendable (Item) async throws -> SentTransferredFile
  private let importing: @Sendable (ReceivedTransferredFile) async throws -> Item

  /// Creates a representation for export and import.
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

  /// Creates a representation for export only.
  public init(
    exportedContentType: UTType, shouldAllowToOpenInPlace: Bool = false,
    exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
  ) {
    exportedType = exportedContentType
    importedType = nil
    self.exporting = exporting
    importing = { _ in throw notImported(Item.self, exportedContentType) }
  }

  /// Creates a representation for import only.
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
    // A folder that cannot be removed stays in the system's temporary folder.
    defer { try? files.removeItem(at: folder) }
    let suffix = (type?.preferredFilenameExtension ?? importedType?.preferredFilenameExtension).map {
      ".\($0)"
    }
    let file = folder.appending(path: "file" + (suffix ?? ""))
    try data.write(to: file)
    return try await importing(ReceivedTransferredFile(file: file, isOriginalFile: false))
  }
}
