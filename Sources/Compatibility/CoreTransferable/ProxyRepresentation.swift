import FoundationEssentials
import UniformTypeIdentifiers

/// A representation that converts a value to or from a value of another type (Apple's `ProxyRepresentation`).
public struct ProxyRepresentation<Item: Transferable, Proxy: Transferable>: TransferRepresentation,
  LeafRepresentation
{
  /// The representation has no body.
  public typealias Body = Never

  private let exporting: (@Sendable (Item) async throws -> Proxy)?
  private let importing: (@Sendable (Proxy) async throws -> Item)?

  /// Creates a representation for export and import.
  public init(
    exporting: @escaping @Sendable (Item) async throws -> Proxy,
    importing: @escaping @Sendable (Proxy) async throws -> Item
  ) {
    self.exporting = exporting
    self.importing = importing
  }

  /// Creates a representation for export only.
  public init(exporting: @escaping @Sendable (Item) async throws -> Proxy) {
    self.exporting = exporting
    importing = nil
  }

  /// Creates a representation for import only.
  public init(importing: @escaping @Sendable (Proxy) async throws -> Item) {
    exporting = nil
    self.importing = importing
  }

  private static var proxies: [any LeafRepresentation<Proxy>] {
    leaves(of: Proxy.transferRepresentation, for: Proxy.self)
  }

  var importedType: UTType? {
    importing == nil ? nil : Self.proxies.lazy.compactMap(\.importedType).first
  }

  // The exact content type is known only after the asynchronous closure `exporting` has created the proxy value. Until then,
  // `data` stands for any content type.
  func exportedType(of item: Item) -> UTType? {
    exporting == nil ? nil : .data
  }

  func export(_ item: Item) async throws -> ExportedContent {
    guard let exporting else { throw TransferError.notExported(type: String(describing: Item.self)) }
    return try await exporting(item).exported()
  }

  func imported(from data: Data, as type: UTType?) async throws -> Item {
    guard let importing else { throw notImported(Item.self, type ?? .data) }
    return try await importing(.imported(from: data, contentType: type))
  }
}
