internal import HTTP
internal import Wire

/// The supported parts of the tus resumable upload protocol, version 1.0.0.
enum Tus {
  static let version = "1.0.0"
  static let extensions =
    "creation,creation-with-upload,creation-defer-length,checksum,termination,expiration"
  static let contentType = "application/offset+octet-stream"

  /// Returns the method of a request. If a proxy does not pass on `PATCH`, the client sends `POST` with the method in
  /// `X-HTTP-Method-Override`.
  static func method(of head: RequestHead) -> Method {
    guard head.method == .post, isSpoken(in: head), let name = head.fields.first("X-HTTP-Method-Override")
    else { return head.method }
    return Method(name)
  }

  /// Returns true for a request that uses any version of tus.
  static func isSpoken(in head: RequestHead) -> Bool {
    head.fields.first("Tus-Resumable") != nil
  }

  /// Throws a refusal if the request does not use the supported version of tus.
  static func checkVersion(of head: RequestHead) throws(Refusal) {
    let given = head.fields.all("Tus-Resumable")
    guard given != [version] else { return }
    var refusal = Refusal(
      .unsupportedVersion,
      given.isEmpty
        ? "A tus request must have the field Tus-Resumable: \(version)."
        : "Tus-Resumable \(given.joined(separator: ", ")) is not supported; the supported version is \(version)."
    )
    refusal.versions = [version]
    refusal.status = 412
    throw refusal
  }

  /// Adds the header fields of the tus protocol (its version, extensions and limits) to the answer to an `OPTIONS` request.
  static func announce(in answer: inout Answer, limits: Limits) {
    answer.head.fields.append("Tus-Resumable", version)
    answer.head.fields.append("Tus-Version", version)
    answer.head.fields.append("Tus-Extension", extensions)
    answer.head.fields.append("Tus-Max-Size", "\(limits.attachmentBytes)")
    answer.head.fields.append("Tus-Checksum-Algorithm", "sha1,sha256")
  }
}
