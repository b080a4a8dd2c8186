public import Combine
public import FoundationEssentials
public import UniformTypeIdentifiers

/// Apple's `CodableRepresentation`: a value travels as its coder writes it, which is JSON unless said otherwise.
public struct CodableRepresentation<Item, Encoder, Decoder>: TransferRepresentation, LeafRepresentation
where
  Item: Transferable & Codable, Encoder: TopLevelEncoder, Decoder: TopLevelDecoder, Encoder.Output == Data,
  Decoder.Input == Data
{
  /// It is made of nothing else.
  public typealias Body = Never

  private let contentType: UTType
  // Nobody changes a coder that was handed over here, and encoding and decoding change none.
  private nonisolated(unsafe) let encoder: Encoder
  private nonisolated(unsafe) let decoder: Decoder

  /// By coders of the program's own, which it must not change any more.
  public init(for itemType: Item.Type = Item.self, contentType: UTType, encoder: Encoder, decoder: Decoder) {
    self.contentType = contentType
    unsafe self.encoder = encoder
    unsafe self.decoder = decoder
  }

  /// As JSON.
  public init(for itemType: Item.Type = Item.self, contentType: UTType = .json)
  where Encoder == JSONEncoder, Decoder == JSONDecoder {
    self.init(for: itemType, contentType: contentType, encoder: JSONEncoder(), decoder: JSONDecoder())
  }

  var importedType: UTType? { contentType }

  func exportedType(of item: Item) -> UTType? { contentType }

  func export(_ item: Item) async throws -> ExportedContent {
    ExportedContent(
      data: try unsafe encoder.encode(item), contentType: contentType, suggestedFileName: nil)
  }

  func imported(from data: Data, as type: UTType?) async throws -> Item {
    try unsafe decoder.decode(Item.self, from: data)
  }
}

extension JSONEncoder: TopLevelEncoder {
  /// Data.
  public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
  /// Data.
  public typealias Input = Data
}
