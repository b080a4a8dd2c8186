/// A type of data, identified by a string such as `public.png` (Apple's `UTType`).
///
/// The table of known types (`TypeDeclaration.all`) has Apple's types for data, text, images, audio, video and documents. Other
/// types can be created from a media type or a file name extension. A program creates its own types with `init(exportedAs:)`.
public struct UTType: Hashable, Sendable {
  /// The identifier, such as `public.png`.
  public let identifier: String
  /// The identifier of the supertype, if this type is not in the table of known types.
  let parent: String?

  init(identifier: String, parent: String? = nil) {
    self.identifier = identifier
    self.parent = parent
  }

  /// Creates a type that is in the table of known types. The identifier is compared case-insensitively.
  ///
  /// - Returns: nil for an identifier that is not in the table.
  public init?(_ identifier: String) {
    guard let declaration = TypeDeclaration.named(identifier) else { return nil }
    self.init(identifier: declaration.identifier)
  }

  /// Creates a type that this program declares.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = UTType(identifier) ?? UTType(identifier: identifier, parent: (parentType ?? .data).identifier)
  }

  /// Creates a type that another program declares.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.init(exportedAs: identifier, conformingTo: parentType)
  }

  /// Creates the type of a media type, such as `image/png`. Parameters are ignored, unless the table lists the media type with
  /// exactly these parameters.
  ///
  /// - Returns: a dynamic type for a media type that is not in the table; nil for an invalid media type, and for a
  ///   type that does not conform to `supertype`.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    let whole = mimeType.lowercased().filter { $0 != " " && $0 != "\t" }
    let essence = String(whole.prefix { $0 != ";" })
    let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isTokenByte) }) else {
      return nil
    }
    let isKnownWhole = TypeDeclaration.all.contains { $0.mediaTypes.contains(whole) }
    self.init(tag: isKnownWhole ? whole : essence, in: \.mediaTypes, of: "m", conformingTo: supertype)
  }

  /// Creates the type of a file name extension, such as `png`, without the dot.
  ///
  /// - Returns: a dynamic type for an extension that is not in the table; nil for an empty extension, and for a type
  ///   that does not conform to `supertype`.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    guard !filenameExtension.isEmpty, !filenameExtension.contains("/") else { return nil }
    self.init(
      tag: filenameExtension.lowercased(), in: \.filenameExtensions, of: "e", conformingTo: supertype)
  }

  private init?(
    tag: String, in tags: KeyPath<TypeDeclaration, [String]>, of kind: Character,
    conformingTo supertype: UTType
  ) {
    if let known = TypeDeclaration.all.first(where: { $0[keyPath: tags].contains(tag) }) {
      self.init(identifier: known.identifier)
      guard conforms(to: supertype) else { return nil }
    } else {
      self.init(identifier: dynamicIdentifier(of: kind, tag: tag), parent: supertype.identifier)
    }
  }

  /// The preferred media type; nil for a type without one.
  public var preferredMIMEType: String? {
    tag(of: "m") ?? TypeDeclaration.named(identifier)?.mediaTypes.first
  }

  /// The preferred file name extension, without a dot; nil for a type without one.
  public var preferredFilenameExtension: String? {
    tag(of: "e") ?? TypeDeclaration.named(identifier)?.filenameExtensions.first
  }

  /// True if the type was created from a media type or an extension that is not in the table.
  public var isDynamic: Bool { identifier.hasPrefix(dynamicPrefix) }

  /// True if the type is in the table.
  public var isDeclared: Bool { TypeDeclaration.named(identifier) != nil }

  /// True if the identifier begins with `public.`.
  public var isPublic: Bool { identifier.hasPrefix("public.") }

  /// All types that this type conforms to, except this type itself.
  public var supertypes: Set<UTType> {
    var found: Set<UTType> = []
    var open = parents
    while let next = open.popLast() {
      guard found.insert(UTType(identifier: next)).inserted else { continue }
      open += UTType(identifier: next).parents
    }
    return found
  }

  /// Returns true if this type is the given type or one of its subtypes.
  public func conforms(to type: UTType) -> Bool {
    self == type || isSubtype(of: type)
  }

  /// Returns true if this type conforms to another type.
  public func isSubtype(of type: UTType) -> Bool {
    self != type && supertypes.contains(type)
  }

  /// Returns true if another type conforms to this type.
  public func isSupertype(of type: UTType) -> Bool {
    type.isSubtype(of: self)
  }

  private var parents: [String] {
    TypeDeclaration.named(identifier)?.parents ?? parent.map { [$0] } ?? []
  }

  private func tag(of kind: Character) -> String? {
    guard identifier.hasPrefix(dynamicPrefix + String(kind)) else { return nil }
    let digits = Array(identifier.utf8.dropFirst(dynamicPrefix.utf8.count + 1))
    guard digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start in
      UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns true if both identifiers are equal.
  public static func == (left: UTType, right: UTType) -> Bool {
    left.identifier == right.identifier
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
  }
}

extension UTType: CustomStringConvertible, CustomDebugStringConvertible {
  /// The identifier.
  public var description: String { identifier }
  /// The identifier.
  public var debugDescription: String { identifier }
}

extension UTType: Codable {
  /// Decodes an identifier.
  public init(from decoder: any Decoder) throws {
    let identifier = try decoder.singleValueContainer().decode(String.self)
    self = UTType(identifier) ?? UTType(identifier: identifier, parent: UTType.data.identifier)
  }

  /// Encodes the identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}

private let dynamicPrefix = "dyn."

private func dynamicIdentifier(of kind: Character, tag: String) -> String {
  let digits = tag.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  return dynamicPrefix + String(kind) + digits
}

/// Returns true for the token characters of RFC 9110 §5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
