/// The response to a GET or HEAD of a representation: the head without the fields that all responses have, and the range of bytes
/// to send (RFC 9110 §13, §14). The same code serves representations in memory and on a disk.
package enum RepresentationResponse: Equatable, Sendable {
  /// 200, 206 or 304 with all fields, and the range of the body: empty for HEAD, 304 and an empty representation.
  case content(ResponseHead, Range<Int>)
  /// 412: the current representation does not match the conditions of the request.
  case preconditionFailed
  /// 416: the requested range is beyond the representation. The response needs this value of `Content-Range`.
  case rangeNotSatisfiable(contentRange: String)

  /// Creates the response to a request.
  ///
  /// - Parameters:
  ///   - request: a GET or HEAD request.
  ///   - representation: the current representation; its tag and date are sent.
  ///   - always: the fields of every response, such as `Cache-Control`, including those that §15.4.5 requires in a
  ///     304.
  ///   - withContent: the fields that describe the content, such as `Content-Type`; a 304 omits them.
  ///   - now: the time of the response's `Date`, which the caller adds.
  package init(
    to request: RequestHead, with representation: Representation, always: FieldList, withContent: FieldList,
    now: HTTPDate
  ) {
    let length = representation.length
    var fields = always
    fields.append("Accept-Ranges", "bytes")
    if let tag = representation.entityTag { fields.append("ETag", "\(tag)") }
    if let modified = representation.lastModified { fields.append("Last-Modified", "\(modified)") }
    let (status, range): (Status, Range<Int>)
    switch Preconditions.evaluate(
      method: request.method, fields: request.fields, representation: representation, now: now)
    {
    case .notModified:
      self = .content(ResponseHead(.notModified, fields: fields), 0..<0)
      return
    case .preconditionFailed:
      self = .preconditionFailed
      return
    case .rangeNotSatisfiable:
      self = .rangeNotSatisfiable(contentRange: "bytes */\(length)")  // RFC 9110 §14.4
      return
    case .partial(let part):
      (status, range) = (.partialContent, part)
      fields.append("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
    case .full:
      (status, range) = (.ok, 0..<length)
    }
    for field in withContent { fields.append(field) }
    fields.append("Content-Length", String(range.count))
    self = .content(ResponseHead(status, fields: fields), request.method == .head ? 0..<0 : range)
  }
}
