public import FoundationEssentials
import UniformTypeIdentifiers

extension Data: Transferable {
  /// The data, which are not converted. Data of any content type can be imported.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .data, exporting: { $0 }, importing: { $0 })
  }
}

extension String: Transferable {
  /// The text in UTF-8. Text of any content type can be imported.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(
      contentType: .utf8PlainText, exporting: { Data($0.utf8) },
      importing: { try text(in: $0, .utf8PlainText) })
    DataRepresentation(importedContentType: .text) { try text(in: $0, .text) }
  }
}

extension URL: Transferable {
  /// The URL as text.
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
