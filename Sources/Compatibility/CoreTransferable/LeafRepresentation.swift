package import FoundationEssentials
package import UniformTypeIdentifiers

/// An exported value.
package struct ExportedContent: Sendable {
  /// The bytes of the value.
  package let data: Data
  /// The content type of the bytes.
  package let contentType: UTType
  /// The suggested file name, if any.
  package let suggestedFileName: String?

  /// The media type of the content type; `application/octet-stream` if the content type has none.
  package var mediaType: String { contentType.preferredMIMEType ?? "application/octet-stream" }
}

/// A representation without a body, which exports and imports values itself.
protocol LeafRepresentation<Item>: TransferRepresentation where Body == Never {
  /// Returns the content type that a value is exported as; nil if the value is not exported.
  func exportedType(of item: Item) -> UTType?
  /// The content type from which values are imported; nil if values cannot be imported.
  var importedType: UTType? { get }

  func export(_ item: Item) async throws -> ExportedContent
  func imported(from data: Data, as type: UTType?) async throws -> Item
}

/// A list of representations, the preferred one first.
protocol CompositeRepresentation<Item>: TransferRepresentation where Body == Never {
  var parts: [any TransferRepresentation] { get }
}

/// Returns all leaves of a representation, the preferred one first.
func leaves<Item: Transferable>(
  of representation: any TransferRepresentation, for type: Item.Type
) -> [any LeafRepresentation<Item>] {
  if let leaf = representation as? any LeafRepresentation<Item> { return [leaf] }
  if let composite = representation as? any CompositeRepresentation {
    return composite.parts.flatMap { leaves(of: $0, for: type) }
  }
  return leaves(of: body(of: representation), for: type)
}

private func body(of representation: some TransferRepresentation) -> any TransferRepresentation {
  representation.body
}

extension Transferable {
  /// Exports a value by the first representation that can export it.
  ///
  /// - Throws: `TransferError.notExported`, or the error of the representation.
  package func exported() async throws -> ExportedContent {
    for leaf in leaves(of: Self.transferRepresentation, for: Self.self)
    where leaf.exportedType(of: self) != nil {
      return try await leaf.export(self)
    }
    throw TransferError.notExported(type: String(describing: Self.self))
  }

  /// Imports a value by the first representation for exactly this content type, or else for a supertype.
  ///
  /// If the content type is unknown (nil, `data` or `item`), the first representation that can import values is used.
  ///
  /// - Throws: `TransferError.notImported`, or the error of the representation.
  package static func imported(from data: Data, contentType: UTType?) async throws -> Self {
    let importing = leaves(of: transferRepresentation, for: Self.self).filter { $0.importedType != nil }
    let fitting =
      importing.first { $0.importedType == contentType }
      ?? importing.first { leaf in
        guard let contentType, let wanted = leaf.importedType else { return false }
        return contentType.conforms(to: wanted)
      }
    let isUnknown = contentType == nil || contentType == .data || contentType == .item
    guard let leaf = fitting ?? (isUnknown ? importing.first : nil) else {
      throw TransferError.notImported(
        type: String(describing: Self.self), contentType: contentType?.identifier ?? "data of an unknown kind"
      )
    }
    return try await leaf.imported(from: data, as: contentType)
  }

  /// Imports a value of a media type.
  ///
  /// - Throws: as `imported(from:contentType:)`.
  package static func imported(from data: Data, mediaType: String) async throws -> Self {
    try await imported(from: data, contentType: UTType(mimeType: mediaType))
  }
}
