import FoundationEssentials
import UniformTypeIdentifiers

/// Apple's `ProxyRepresentation`: a value travels as one of another type.
public struct ProxyRepresentation<Item: Transferable, Proxy: Transferable>: TransferRepresentation,
  LeafRepresentation
{
  /// It is made of nothing else.
  public typealias Body = Never

  private let exporting: (@Sendable (Item) async throws -> Proxy)?
  private let importing: (@Sendable (Proxy) async throws -> Item)?

  /// Goes both ways.
  public init(
    exporting: @escaping @Sendable (Item) async throws -> Proxy,
    importing: @escaping @Sendable (Proxy) async throws -> Item
  ) {
    self.exporting = exporting
    self.importing = importing
  }

  /// Only goes out.
  public init(exporting: @escaping @Sendable (Item) async throws -> Proxy) {
    self.exporting = exporting
    importing = nil
  }

  /// Only comes in.
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

  // What its proxy is depends on the value, which only a closure that may wait can tell.
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
