import FoundationEssentials
import HTTP
import Testing
import Platform
import Wire

/// A client that uploads attachments of one session over one connection: in one request, or in pieces with tus 1.0.0.
final class JournalClient {
  let http: HTTPClient
  let session: SessionID
  static let bodyLimit = 128 << 20

  init(_ http: HTTPClient, _ session: SessionID) {
    self.http = http
    self.session = session
  }

  convenience init(_ gateway: RunningGateway, _ session: SessionID, isSecure: Bool = false) throws {
    try self.init(HTTPClient(gateway, isSecure: isSecure, bodyLimit: Self.bodyLimit), session)
  }

  var stream: ByteStream { http.stream }

  /// The path of the session's attachments, or of one of them.
  func path(of attachment: UUID? = nil) -> String {
    "/api/sessions/\(session.text)/attachments" + (attachment.map { "/\($0.uuidString)" } ?? "")
  }

  // MARK: - Requests as bytes

  /// The framing of a body.
  enum Framing: CaseIterable {
    case length, chunked
  }

  /// Returns the head of a request with a body.
  func head(
    _ method: String, _ path: String, _ fields: [(String, String)], _ framing: Framing, length: Int
  ) -> [UInt8] {
    var bytes = http.head(method, path)
    bytes.removeLast(2)
    for (name, value) in fields { bytes += Array("\(name): \(value)\r\n".utf8) }
    switch framing {
    case .length: bytes += Array("Content-Length: \(length)\r\n\r\n".utf8)
    case .chunked: bytes += Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
    }
    return bytes
  }

  /// Returns a body as it is on the wire, in chunks of 64 KiB if it is chunked.
  static func framed(_ body: [UInt8], _ framing: Framing) -> [UInt8] {
    guard framing == .chunked else { return body }
    var bytes: [UInt8] = []
    var start = 0
    while start < body.count {
      let end = min(body.count, start + 65_536)
      bytes += Array("\(String(end - start, radix: 16))\r\n".utf8) + body[start..<end] + Array("\r\n".utf8)
      start = end
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }

  /// Returns the request fields of an upload in one request.
  static func fileFields(_ id: UUID, digest: String? = nil) -> [(String, String)] {
    [("Attachment-Id", id.uuidString), ("Content-Type", "application/x-test")]
      + (digest.map { [("Repr-Digest", $0)] } ?? [])
  }

  /// Returns the request fields of a PATCH request that sends a piece of an upload (tus).
  static func pieceFields(at offset: Int, checksum: String? = nil) -> [(String, String)] {
    [
      ("Tus-Resumable", "1.0.0"), ("Content-Type", "application/offset+octet-stream"),
      ("Upload-Offset", "\(offset)"),
    ] + (checksum.map { [("Upload-Checksum", $0)] } ?? [])
  }

  // MARK: - Requests and their answers

  /// Uploads an attachment in one request.
  func add(_ id: UUID, _ bytes: [UInt8], _ framing: Framing = .length) throws -> HTTPClient.Response {
    try stream.send(
      head("POST", path(), Self.fileFields(id), framing, length: bytes.count)
        + Self.framed(bytes, framing))
    return try http.response(to: "POST")
  }

  /// Creates a resumable upload. Without a size, the length is deferred.
  func create(_ id: UUID, size: Int?) throws -> HTTPClient.Response {
    let length = size.map { ("Upload-Length", "\($0)") } ?? ("Upload-Defer-Length", "1")
    try stream.send(
      head(
        "POST", path(), [("Attachment-Id", id.uuidString), ("Tus-Resumable", "1.0.0"), length], .length,
        length: 0))
    return try http.response(to: "POST")
  }

  /// Sends a PATCH request with a piece of an upload.
  func patch(
    _ id: UUID, at offset: Int, _ bytes: [UInt8], _ framing: Framing = .length, checksum: String? = nil
  ) throws -> HTTPClient.Response {
    try stream.send(
      head(
        "PATCH", path(of: id), Self.pieceFields(at: offset, checksum: checksum), framing, length: bytes.count)
        + Self.framed(bytes, framing))
    return try http.response(to: "PATCH")
  }

  /// Returns the offset of an upload; nil if the upload does not exist.
  func offset(of id: UUID) throws -> Int? {
    let answer = try http.ask("HEAD", path(of: id), ["Tus-Resumable": "1.0.0"])
    guard answer.status != 404 else { return nil }
    guard answer.status == 200 else { throw ClientError.answered(status: answer.status) }
    return try Int(#require(answer.field("Upload-Offset")))
  }

  func read(_ id: UUID) throws -> HTTPClient.Response {
    try http.ask("GET", path(of: id))
  }

  /// Removes an attachment.
  /// - Returns: the status of the response.
  func remove(_ id: UUID) throws -> Int {
    try http.ask("DELETE", path(of: id)).status
  }

  func list() throws -> [AttachmentObject] {
    let answer = try http.ask("GET", path())
    guard answer.status == 200 else { throw ClientError.answered(status: answer.status) }
    return try WireJSON.decode(AttachmentList.self, from: answer.body.span).attachments
  }
}
