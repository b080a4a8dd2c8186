public import Combine
public import FoundationEssentials
public import UniformTypeIdentifiers

/// A representation that an encoder writes and a decoder reads, as JSON by default (Apple's `CodableRepresentation`).
public struct CodableRepresentation<Item, Encoder, Decoder>: TransferRepresentation, LeafRepresentation
where
  Item: Transferable & Codable, Encoder: TopLevelEncoder, Decoder: TopLevelDecoder, Encoder.Output == Data,
  Decoder.Input == Data
{
  /// The representation has no body.
  public typealias Body = Never

  private let contentType: UTType
  // The program must not change a coder after passing it here, and encoding and decoding do not change coders. So several threads
  // may use the same coder.
  private nonisolated(unsafe) let encoder: Encoder
  private nonisolated(unsafe) let decoder: Decoder

  /// Creates a representation with the given coders. The program must not change the coders afterwards.
  public init(for itemType: Item.Type = Item.self, contentType: UTType, encoder: Encoder, decoder: Decoder) {
    self.contentType = contentType
    unsafe self.encoder = encoder
    unsafe self.decoder = decoder
  }

  /// Creates a representation as JSON.
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
  /// The type of encoded values.
  public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
  /// The type of encoded values.
  public typealias Input = Data
}
