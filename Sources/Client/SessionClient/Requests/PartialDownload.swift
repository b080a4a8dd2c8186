internal import FoundationEssentials
internal import HTTP
internal import Platform
internal import Wire

/// What has come of an attachment's content, over several answers.
///
/// Unchecked: one attempt at a time touches it, on its thread, and whoever waits for that touches it only between two
/// attempts, not after having given one up.
final class PartialDownload: ContentReceiver, @unchecked Sendable {
  /// No content is believed to be larger before it came.
  private static let reservedBytes: UInt64 = 128 << 20

  private let attachment: AttachmentObject
  private let gateway: GatewayAddress
  /// The most bytes that are taken.
  private let limit: UInt64
  private(set) var content = Data()
  private var digest = RunningDigest(.sha256)
  /// What the whole must have, in lowercase hexadecimal; by the answer where the attachment was not ready when it was told of.
  private var wanted: String?

  /// Of an attachment of a size that is not known, or is within the limit.
  init(_ attachment: AttachmentObject, of gateway: GatewayAddress, limit: Int) throws(SessionClientError) {
    self.attachment = attachment
    self.gateway = gateway
    self.limit = UInt64(clamping: limit)
    if let size = attachment.size, size > self.limit {
      throw .refused(.tooLarge(attachment, limit: limit, actual: Int(clamping: size)))
    }
    wanted = attachment.sha256
  }

  /// Asks for what is missing.
  func request(_ path: String) -> HTTPRequest {
    var request = HTTPRequest(method: .get, path: path)
    if !content.isEmpty, let wanted {
      request.fields.append("Range", "bytes=\(content.count)-")
      request.fields.append("If-Range", "\"\(wanted)\"")
    }
    return request
  }

  /// Begins anew.
  func restart() {
    content = Data()
    digest = RunningDigest(.sha256)
  }

  /// Whether as many bytes came as there are.
  var isWhole: Bool { attachment.size == UInt64(content.count) }

  /// The content, if it is the one that was wanted; else it begins anew.
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
          "\(gateway) answers with other bytes of an attachment than those that were asked for")
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

  /// Whether there may be so many bytes more.
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
      throw .noGateway("\(gateway) sends \(actual) bytes of an attachment that has \(size)")
    }
  }
}

extension GatewayAPI {
  /// Fetches a content, over any number of cuts, and checks it.
  ///
  /// - Throws: also when the bytes are others than those of the attachment, twice; and when there are more than `limit`.
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
    // The last byte may have come, and the connection broken behind it.
    if partial.isWhole, !partial.content.isEmpty { return }
    let response = try await performOnce(partial.request(path), in: .transfer, into: partial)
    switch response.status {
    case 200, 206: break
    case 416:
      partial.restart()
      throw .unreachable("\(gateway) has fewer bytes of an attachment than it said")
    default: throw error(for: response)
    }
  }
}

extension Refusal {
  fileprivate static func tooLarge(_ attachment: AttachmentObject, limit: Int, actual: Int) -> Refusal {
    Refusal(
      .attachmentTooLarge,
      "The attachment \(attachment.id) has \(actual) bytes or more; at most \(limit) are fetched.",
      limit: limit, actual: actual)
  }

  fileprivate static var otherContent: Refusal {
    Refusal(
      .digestMismatch,
      "What came is not the attachment: its SHA-256 is another one, twice. Something on the way, or the gateway's "
        + "disk, changes bytes.")
  }
}
