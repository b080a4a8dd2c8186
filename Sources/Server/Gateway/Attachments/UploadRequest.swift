internal import FoundationEssentials
internal import HTTP
internal import Networking
internal import Platform
internal import Wire

/// A request that refers to one attachment or all attachments of a session, and has no body.
enum AttachmentRequest {
  case list
  /// `GET` or `HEAD`: requests the content of an attachment. `for` is the client's address, to which the limits apply; nil for
  /// this machine.
  case read(UUID, for: IPAddress?)
  /// `HEAD` with tus: requests the offset of an upload.
  case status(UUID)
  /// `DELETE`: removes an attachment. `by` is the participant's token, if the request has one.
  case remove(UUID, by: Token?, from: IPAddress)
}

/// The parsed head of a request that sends bytes of an attachment.
struct UploadRequest: Sendable {
  /// The parsed fields of a request that creates a new attachment.
  struct Creation: Sendable {
    /// The id that the client chose, if any. A repeated request with the same id refers to the same attachment.
    var id: UUID?
    var name = ""
    var contentType: String
    /// The size in bytes; nil while it is unknown.
    var size: UInt64?
    var metadata: AttachmentMetadata?
    /// The value of the tus field `Upload-Metadata`, unchanged.
    var uploadMetadata: String?
    /// The SHA-256 that the whole attachment must match, in lowercase hexadecimal.
    var sha256: String?
    /// True for tus: the bytes may arrive in several requests.
    var isResumable: Bool
  }

  enum Kind: Sendable {
    case create(Creation)
    /// The request sends more bytes of an upload, from `offset`. `size` is the upload's size, if this request announces it.
    case resume(UUID, offset: UInt64, size: UInt64?)
  }

  let kind: Kind
  /// The token of the participant that adds the attachment, if the request has one.
  let token: Token?
  /// The checksum that the bytes of this request must match.
  let checksum: UploadFileActor.PieceChecksum?
  /// The length of the body in bytes; nil if the body is chunked.
  let bodyLength: UInt64?

  /// The total length in bytes of the attachment's name, metadata and media type, which are sent to all members of the session.
  var headBytes: Int {
    guard case .create(let creation) = kind else { return 0 }
    return creation.name.utf8.count + (creation.metadata?.text.count ?? 0) + creation.contentType.utf8.count
  }

  /// True when the request changes the session's records: it adds an upload, or announces an upload's size.
  var changesRecords: Bool {
    switch kind {
    case .create: true
    case .resume(_, _, let size): size != nil
    }
  }

  var isTus: Bool {
    switch kind {
    case .create(let creation): creation.isResumable
    case .resume: true
    }
  }
}

extension UploadRequest {
  /// The number of bytes that `Upload-Metadata` may have for the name and the type of the attachment, in addition to the bytes
  /// for the attachment's metadata.
  private static let namesBytes = 8_192
  /// The maximum length of a media type. No registered type is longer.
  private static let mediaTypeBytes = 255

  /// Parses the head of a `POST` to a session's attachments.
  init(creating head: RequestHead, limits: Limits) throws(Refusal) {
    token = try Self.token(head)
    bodyLength = Self.bodyLength(head)
    var creation: Creation
    if Tus.isSpoken(in: head) {
      try Tus.checkVersion(of: head)
      creation = try Self.resumable(head, limits)
      if head.body != .none, head.body != .length(0) { try Self.checkPieceType(head) }
      checksum = try Self.checksum(head)
    } else {
      creation = try Self.whole(head, limits)
      checksum = nil
    }
    creation.id = try Self.chosenID(head)
    if let size = creation.size, size > UInt64(limits.attachmentBytes) {
      throw .tooLarge(size, limit: limits.attachmentBytes)
    }
    if let size = creation.size, let bodyLength, bodyLength > size {
      throw .beyondLength(bodyLength, length: size)
    }
    kind = .create(creation)
  }

  /// Parses the head of a `PATCH` to an attachment.
  init(resuming id: UUID, _ head: RequestHead, limits: Limits) throws(Refusal) {
    try Tus.checkVersion(of: head)
    try Self.checkPieceType(head)
    guard let offset = try Self.number("Upload-Offset", head) else {
      throw Refusal(.badRequest, "A PATCH must have Upload-Offset, the offset of its first byte.")
    }
    let size = try Self.number("Upload-Length", head)
    if let size, size > UInt64(limits.attachmentBytes) {
      throw .tooLarge(size, limit: limits.attachmentBytes)
    }
    kind = .resume(id, offset: offset, size: size)
    token = nil
    checksum = try Self.checksum(head)
    bodyLength = Self.bodyLength(head)
  }

  private static func resumable(_ head: RequestHead, _ limits: Limits) throws(Refusal) -> Creation {
    let length = try number("Upload-Length", head)
    let deferred = head.fields.first("Upload-Defer-Length")
    if let deferred, deferred != "1" {
      throw Refusal(.badRequest, "Upload-Defer-Length must be 1 or missing; it is \(deferred.prefix(20)).")
    }
    guard (length == nil) != (deferred == nil) else {
      throw Refusal(.badRequest, "A creation must have either Upload-Length or Upload-Defer-Length: 1.")
    }
    let field = head.fields.first("Upload-Metadata")
    let room = 2 * limits.metadataBytes + namesBytes
    if let field, field.utf8.count > room {
      throw Refusal(
        .badRequest, "Upload-Metadata may have at most \(room) bytes, but has \(field.utf8.count).",
        limit: room,
        actual: field.utf8.count)
    }
    let values: [String: [UInt8]]
    do throws(UploadFieldError) {
      values = try UploadMetadata.parse(field ?? "")
    } catch {
      throw Refusal(.badRequest, "\(error)")
    }
    var creation = Creation(
      contentType: mediaType(values["filetype"].map { String(decoding: $0, as: UTF8.self) }),
      size: length, isResumable: true)
    creation.name = String(decoding: values["filename"] ?? [], as: UTF8.self)
    creation.uploadMetadata = field
    if let metadata = values["metadata"] {
      creation.metadata = try AttachmentMetadata.parse(metadata.span, limit: limits.metadataBytes)
    }
    return creation
  }

  private static func whole(_ head: RequestHead, _ limits: Limits) throws(Refusal) -> Creation {
    let encoding = head.fields.tokens(of: "Content-Encoding").filter { $0.lowercased() != "identity" }
    guard encoding.isEmpty else {
      var refusal = Refusal(
        .badRequest,
        "An attachment must be sent without Content-Encoding; the request has \(encoding[0].prefix(20)).")
      refusal.status = 415
      throw refusal
    }
    if let type = head.fields.first("Content-Type"), type.lowercased().hasPrefix("multipart/form-data") {
      var refusal = Refusal(
        .badRequest,
        "The body must be the file itself, not a form: use curl -T FILE -X POST, or --data-binary @FILE.")
      refusal.status = 415
      throw refusal
    }
    var creation = Creation(
      contentType: mediaType(head.fields.first("Content-Type")), size: bodyLength(head),
      isResumable: false)
    creation.name = head.fields.first("Content-Disposition").flatMap(ContentDisposition.fileName) ?? ""
    if let field = head.fields.first("Attachment-Metadata") {
      guard let bytes = Base64.decode(field) else {
        throw Refusal(.badRequest, "Attachment-Metadata is not base64.")
      }
      creation.metadata = try AttachmentMetadata.parse(bytes.span, limit: limits.metadataBytes)
    }
    do throws(UploadFieldError) {
      creation.sha256 = try ReprDigest.sha256(in: head.fields).flatMap {
        SHA256Digest(bytes: $0)?.description
      }
    } catch {
      throw Refusal(.badRequest, "\(error)")
    }
    return creation
  }

  private static func chosenID(_ head: RequestHead) throws(Refusal) -> UUID? {
    guard let field = head.fields.first("Attachment-Id") else { return nil }
    guard let id = UUID(uuidString: field) else {
      throw Refusal(.badRequest, "Attachment-Id must be a UUID; \(field.prefix(60)) is not one.")
    }
    return id
  }

  /// Returns the participant's token; nil if the request has none. A malformed token gets the same refusal as an unknown token.
  private static func token(_ head: RequestHead) throws(Refusal) -> Token? {
    guard let field = head.fields.first("Participant-Token") else { return nil }
    guard let token = Token(field) else { throw .unknownParticipantToken }
    return token
  }

  private static func mediaType(_ text: String?) -> String {
    guard let text, text.utf8.count <= mediaTypeBytes, let type = MediaType(parsing: text) else {
      return MediaType.octetStream.value
    }
    return type.value
  }

  private static func bodyLength(_ head: RequestHead) -> UInt64? {
    switch head.body {
    case .none: 0
    case .length(let length): UInt64(length)
    case .chunked: nil
    }
  }

  private static func checkPieceType(_ head: RequestHead) throws(Refusal) {
    let type = head.fields.first("Content-Type")
    guard type?.lowercased() != Tus.contentType else { return }
    var refusal = Refusal(
      .badRequest, "The Content-Type of this request must be \(Tus.contentType); it is \(type ?? "missing").")
    refusal.status = 415
    throw refusal
  }

  private static func number(_ name: String, _ head: RequestHead) throws(Refusal) -> UInt64? {
    let fields = head.fields.all(name)
    guard let field = fields.first else { return nil }
    guard fields.count == 1 else {
      throw Refusal(.badRequest, "The field \(name) occurs \(fields.count) times; it is allowed only once.")
    }
    do throws(UploadFieldError) {
      return try UploadNumber.parse(field)
    } catch .numberTooLarge {
      // A number that is too large for the parser is also larger than any attachment and any offset of an upload. Later checks
      // refuse such a number.
      return UInt64(field) ?? .max
    } catch {
      throw Refusal(.badRequest, "\(name): \(error)")
    }
  }

  private static func checksum(_ head: RequestHead) throws(Refusal) -> UploadFileActor.PieceChecksum? {
    guard let field = head.fields.first("Upload-Checksum") else { return nil }
    do throws(UploadFieldError) {
      let (algorithm, digest) = try UploadChecksum.parse(field)
      switch algorithm {
      case .sha1: return UploadFileActor.PieceChecksum(algorithm: .sha1, digest: digest)
      case .sha256: return UploadFileActor.PieceChecksum(algorithm: .sha256, digest: digest)
      }
    } catch {
      throw Refusal(.badRequest, "\(error)")
    }
  }
}

extension Refusal {
  static func tooLarge(_ actual: UInt64, limit: Int) -> Refusal {
    var refusal = Refusal(
      .attachmentTooLarge, "An attachment may have at most \(limit) bytes; this attachment has \(actual).",
      limit: limit)
    refusal.actual = actual
    return refusal
  }

  /// The refusal of a chunk that would make the attachment larger than the limit. The total size of the attachment is not known.
  static func tooLarge(atLeast actual: UInt64, limit: Int) -> Refusal {
    var refusal = Refusal(
      .attachmentTooLarge,
      "An attachment may have at most \(limit) bytes; this attachment has at least \(actual).",
      limit: limit)
    refusal.actual = actual
    return refusal
  }

  static func beyondLength(_ end: UInt64, length: UInt64) -> Refusal {
    Refusal(
      .badRequest,
      "The upload was announced with \(length) bytes; with the bytes of this request it would have \(end) bytes.",
      limit: Int(clamping: length), actual: Int(clamping: end))
  }

  static var unknownParticipantToken: Refusal {
    Refusal(.tokenNeeded, "The Participant-Token does not belong to a participant of this session.")
  }

  static var noAttachment: Refusal {
    Refusal(.notFound, "There is no such attachment; it may have been removed.")
  }

  static func offsetMismatch(_ offset: UInt64) -> Refusal {
    var refusal = Refusal(.offsetMismatch, "The upload has \(offset) bytes: continue at this offset.")
    refusal.offset = offset
    return refusal
  }
}
