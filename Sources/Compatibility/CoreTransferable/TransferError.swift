public import FoundationEssentials

/// The reason why a value could not be exported or imported. `description` is the reason in English.
public enum TransferError: LocalizedError, Equatable, CustomStringConvertible {
  /// No representation of the type exports this value.
  case notExported(type: String)
  /// No representation of the type imports this content type.
  case notImported(type: String, contentType: String)
  /// The data do not have the content type that they are declared to have.
  case malformed(type: String, contentType: String)

  /// A message of one sentence.
  public var description: String {
    switch self {
    case .notExported(let type): "No transfer representation of \(type) exports this value."
    case .notImported(let type, let contentType):
      "No transfer representation of \(type) imports \(contentType)."
    case .malformed(let type, let contentType):
      "The data are not valid \(contentType), so no \(type) can be created."
    }
  }

  /// The same text as `description`.
  public var errorDescription: String? { description }
}
