/// What a GET or HEAD gets of a representation: the head but for what every answer has, and which bytes (RFC 9110 §13,
/// §14). One code for whatever is read, be it in memory or on a disk.
package enum RepresentationAnswer: Equatable, Sendable {
  /// 200, 206 or 304 with all fields, and which bytes are the body: none for HEAD, 304 and an empty representation.
  case content(ResponseHead, Range<Int>)
  /// 412: what is there is not what the request is about.
  case preconditionFailed
  /// 416: none of the bytes that were asked for are there. It is answered with this value of `Content-Range`.
  case rangeNotSatisfiable(contentRange: String)

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: its method is GET or HEAD.
  ///   - representation: what is there; its tag and date are sent.
  ///   - always: fields of every answer, such as `Cache-Control`. Those that §15.4.5 wants in a 304 belong here.
  ///   - withContent: fields that describe the content, such as `Content-Type`; they are not in a 304.
  ///   - now: the time of the answer's `Date`, which the caller adds.
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
      self = .rangeNotSatisfiable(contentRange: "bytes */\(length)")  // §14.4
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
