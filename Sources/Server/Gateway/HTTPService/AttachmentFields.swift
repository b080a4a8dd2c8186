internal import HTTP

/// The header fields of requests for attachments and of their answers.
enum AttachmentFields {
  /// The request fields that pages of allowed other sites may send (`Access-Control-Allow-Headers`).
  static let accepted =
    "Attachment-Id, Attachment-Metadata, Content-Disposition, Content-Type, If-Match, If-None-Match, "
    + "If-Range, Participant-Token, Range, Repr-Digest, Tus-Resumable, Upload-Checksum, Upload-Defer-Length, "
    + "Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override"
  /// The response fields that pages of allowed other sites may read.
  private static let exposed =
    "Content-Disposition, Content-Range, ETag, Location, Retry-After, Tus-Checksum-Algorithm, Tus-Extension, "
    + "Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Defer-Length, Upload-Expires, Upload-Length, "
    + "Upload-Metadata, Upload-Offset"
  /// The policy that prevents a browser from running code in an attachment.
  private static let contentSecurityPolicy = "sandbox; default-src 'none'"

  /// Returns the names of the response fields that pages of allowed other sites may read (`Access-Control-Expose-Headers`). The
  /// names depend on the route of the request.
  static func exposed(for route: Route?) -> String {
    route?.isForAttachments ?? false ? exposed : "Location, Retry-After, ETag"
  }

  /// Adds the fields that every answer to a request for attachments has.
  static func add(to answer: inout Answer, for head: RequestHead?) {
    answer.head.fields.set("Content-Security-Policy", contentSecurityPolicy)
    guard let head, Tus.isSpoken(in: head) else { return }
    answer.head.fields.set("Tus-Resumable", Tus.version)
    if answer.head.status.code == 412 { answer.head.fields.set("Tus-Version", Tus.version) }
  }
}
