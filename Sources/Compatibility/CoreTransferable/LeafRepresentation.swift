public import FoundationEssentials
package import UniformTypeIdentifiers

/// What a value travels as.
package struct ExportedContent: Sendable {
  /// Its bytes.
  package let data: Data
  /// Their kind.
  package let contentType: UTType
  /// The name of a file with it, if the type suggests one.
  package let suggestedFileName: String?

  /// The media type to send it by: that of its kind, or else `application/octet-stream`.
  package var mediaType: String { contentType.preferredMIMEType ?? "application/octet-stream" }
}

/// A representation that is made of nothing else: it does the work.
protocol LeafRepresentation<Item>: TransferRepresentation where Body == Never {
  /// What it exports values as; nil when it does not.
  func exportedType(of item: Item) -> UTType?
  /// What it imports values from; nil when it does not.
  var importedType: UTType? { get }
  /// How a file with the value is called; nil when nobody said.
  func fileName(of item: Item) -> String?

  func export(_ item: Item) async throws -> ExportedContent
  func imported(from data: Data, as type: UTType?) async throws -> Item
}

extension LeafRepresentation {
  func fileName(of item: Item) -> String? { nil }
}

/// Representations one after the other.
protocol CompositeRepresentation<Item>: TransferRepresentation where Body == Never {
  var parts: [any TransferRepresentation] { get }
}

/// All that a representation comes down to, the preferred one first.
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

/// Why a value could not travel.
public enum TransferError: LocalizedError, Equatable, CustomStringConvertible {
  /// The type has no representation that exports this value.
  case notExported(type: String)
  /// The type has no representation that imports such data.
  case notImported(type: String, contentType: String)
  /// The data is not what it is said to be.
  case malformed(type: String, contentType: String)

  /// What is wrong, in words.
  public var description: String {
    switch self {
    case .notExported(let type): "no transfer representation of \(type) exports this value"
    case .notImported(let type, let contentType):
      "no transfer representation of \(type) imports \(contentType)"
    case .malformed(let type, let contentType): "the data is no \(contentType), of which \(type) is made"
    }
  }

  /// The same words as `description`.
  public var errorDescription: String? { description }
}

extension Transferable {
  /// What a value travels as: by the first representation that exports it.
  ///
  /// - Throws: `TransferError.notExported`, and what the representation throws.
  package func exported() async throws -> ExportedContent {
    for leaf in leaves(of: Self.transferRepresentation, for: Self.self)
    where leaf.exportedType(of: self) != nil {
      return try await leaf.export(self)
    }
    throw TransferError.notExported(type: String(describing: Self.self))
  }

  /// Makes a value of what one traveled as.
  ///
  /// The representation is the first one for exactly that kind, or else one for a kind that it conforms to. Where nothing is
  /// known of the kind (nil, or no more than that it is data) the first one that imports is tried.
  ///
  /// - Throws: `TransferError.notImported`, and what the representation throws.
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

  /// Makes a value of what one traveled as, by its media type.
  ///
  /// - Throws: as `imported(from:contentType:)`.
  package static func imported(from data: Data, mediaType: String) async throws -> Self {
    try await imported(from: data, contentType: UTType(mimeType: mediaType))
  }
}
