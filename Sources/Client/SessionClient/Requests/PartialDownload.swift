internal import FoundationEssentials
internal import HTTP
internal import Platform
internal import Wire

/// The part of an attachment's content that has been received, over several responses.
///
/// `@unchecked Sendable` is safe, because only one attempt at a time uses the object, on the thread of that attempt. The task
/// that waits for the attempts uses the object only between two attempts, and not after a cancellation.
final class PartialDownload: ContentReceiver, @unchecked Sendable {
  /// The maximum number of bytes of memory that are reserved before the content arrives.
  private static let reservedBytes: UInt64 = 128 << 20

  private let attachment: AttachmentObject
  private let gateway: GatewayAddress
  /// The maximum size in bytes.
  private let limit: UInt64
  private(set) var content = Data()
  private var digest = RunningDigest(.sha256)
  /// The expected digest in lowercase hexadecimal. If the attachment's description has no digest, because the upload was still
  /// incomplete, the digest comes from the response's `ETag`.
  private var wanted: String?

  /// Creates an empty download.
  ///
  /// - Throws: a refusal if the attachment's size is known and above the limit.
  init(_ attachment: AttachmentObject, of gateway: GatewayAddress, limit: Int) throws(SessionClientError) {
    self.attachment = attachment
    self.gateway = gateway
    self.limit = UInt64(clamping: limit)
    if let size = attachment.size, size > self.limit {
      throw .refused(.tooLarge(attachment, limit: limit, actual: Int(clamping: size)))
    }
    wanted = attachment.sha256
  }

  /// Returns a request for the missing bytes.
  func request(_ path: String) -> HTTPRequest {
    var request = HTTPRequest(method: .get, path: path)
    if !content.isEmpty, let wanted {
      request.fields.append("Range", "bytes=\(content.count)-")
      request.fields.append("If-Range", "\"\(wanted)\"")
    }
    return request
  }

  /// Discards the received bytes.
  func restart() {
    content = Data()
    digest = RunningDigest(.sha256)
  }

  /// True when all bytes have arrived.
  var isWhole: Bool { attachment.size == UInt64(content.count) }

  /// Returns the content if its digest matches; otherwise nil. Resets the download in both cases.
  func verified() -> Data? {
    defer { restart() }
    let found = SHA256Digest(finishing: digest).description
    return wanted == nil || found == wanted ? content : nil
  }

  func begin(_ head: ResponseHead) throws(SessionClientError) -> Bool {
    switch head.status {
    case .ok:
      restart()
      if wanted == nil { wanted = head.fields.first("ETag").flatMap { EntityTag(parsing: $0) }?.opaque }
    case .partialContent:
      guard head.fields.first("Content-Range")?.hasPrefix("bytes \(content.count)-") == true else {
        throw .noGateway(
          "\(gateway) did not send the requested bytes of an attachment")
      }
    default:
      return false
    }
    try take(head.number("Content-Length") ?? 0)
    if content.isEmpty, let size = attachment.size {
      content.reserveCapacity(Int(min(size, Self.reservedBytes)))
    }
    return true
  }

  func receive(_ bytes: ArraySlice<UInt8>) throws(SessionClientError) {
    try take(UInt64(bytes.count))
    digest.update(bytes.span)
    content.append(contentsOf: bytes)
  }

  /// Checks that the content stays within the limits with this number of additional bytes.
  private func take(_ more: UInt64) throws(SessionClientError) {
    let (count, isBeyond) = UInt64(content.count).addingReportingOverflow(more)
    let actual = isBeyond ? .max : count
    guard let size = attachment.size else {
      guard actual <= limit else {
        throw .refused(.tooLarge(attachment, limit: Int(clamping: limit), actual: Int(clamping: actual)))
      }
      return
    }
    guard actual <= size else {
      throw .noGateway("\(gateway) sends \(actual) bytes for an attachment of \(size) bytes")
    }
  }
}

extension GatewayAPI {
  /// Downloads and verifies the content of an attachment. Continues after lost connections.
  ///
  /// - Throws: `SessionClientError`, for example if the content is larger than `limit`, or does not match its digest after a
  ///   second download.
  func fetch(
    _ attachment: AttachmentObject, at path: String, limit: Int
  ) async throws(SessionClientError) -> Data {
    let partial = try PartialDownload(attachment, of: gateway, limit: limit)
    var retry = RetryPolicy(timeouts, for: timeouts.downloadRetry)
    var wasWrong = false
    while true {
      let before = partial.content.count
      do throws(SessionClientError) {
        try await fetchRest(of: partial, at: path)
        if let content = partial.verified() { return content }
        guard !wasWrong else { throw .refused(.otherContent) }
        wasWrong = true
      } catch {
        guard error != .cancelled else { throw error }
        if partial.content.count > before { retry.recordProgress() }
        try await retry.wait(after: error)
      }
    }
  }

  private func fetchRest(of partial: PartialDownload, at path: String) async throws(SessionClientError) {
    // The connection may have broken after the last byte arrived.
    if partial.isWhole, !partial.content.isEmpty { return }
    let response = try await performOnce(partial.request(path), in: .transfer, into: partial)
    switch response.status {
    case 200, 206: break
    case 416:
      partial.restart()
      throw .unreachable("\(gateway) has fewer bytes of an attachment than it reported")
    default: throw error(for: response)
    }
  }
}

extension Refusal {
  fileprivate static func tooLarge(_ attachment: AttachmentObject, limit: Int, actual: Int) -> Refusal {
    Refusal(
      .attachmentTooLarge,
      "The attachment \(attachment.id) has \(actual) bytes or more; the limit is \(limit).",
      limit: limit, actual: actual)
  }

  fileprivate static var otherContent: Refusal {
    Refusal(
      .digestMismatch,
      "The content does not match the attachment: its SHA-256 was wrong in two downloads. "
        + "The network or the gateway's disk changes bytes.")
  }
}
