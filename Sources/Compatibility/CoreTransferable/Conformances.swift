public import FoundationEssentials
import UniformTypeIdentifiers

extension Data: Transferable {
  /// Itself, and made of data of any kind.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .data, exporting: { $0 }, importing: { $0 })
  }
}

extension String: Transferable {
  /// UTF-8; made of any text.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(
      contentType: .utf8PlainText, exporting: { Data($0.utf8) },
      importing: { try text(in: $0, .utf8PlainText) })
    DataRepresentation(importedContentType: .text) { try text(in: $0, .text) }
  }
}

extension URL: Transferable {
  /// What it reads as.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(
      contentType: .url, exporting: { Data($0.absoluteString.utf8) },
      importing: { data in
        guard let url = URL(string: try text(in: data, .url)) else {
          throw TransferError.malformed(type: "URL", contentType: UTType.url.identifier)
        }
        return url
      })
  }
}

private func text(in data: Data, _ contentType: UTType) throws -> String {
  guard let text = String(validating: data, as: UTF8.self) else {
    throw TransferError.malformed(type: "String", contentType: contentType.identifier)
  }
  return text
}
