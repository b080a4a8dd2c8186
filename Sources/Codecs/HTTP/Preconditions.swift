/// The representation that a request reads (RFC 9110 §3.2).
package struct Representation: Equatable, Sendable {
  /// The length in bytes of the form that is sent. The compressed form of a file has a different length and entity tag than the
  /// uncompressed form.
  package let length: Int
  package let entityTag: EntityTag?
  package let lastModified: HTTPDate?

  package init(length: Int, entityTag: EntityTag?, lastModified: HTTPDate?) {
    self.length = length
    self.entityTag = entityTag
    self.lastModified = lastModified
  }
}

/// The evaluation of conditional and range requests (RFC 9110 §13, §14).
package enum Preconditions {
  /// The kind of the response.
  package enum Outcome: Equatable, Sendable {
    /// The conditions allow the request: `GET` and `HEAD` are answered with status 200 and the whole representation, and any
    /// other method is performed.
    case full
    /// Status 206 with these bytes.
    case partial(Range<Int>)
    /// Status 304.
    case notModified
    /// Status 412.
    case preconditionFailed
    /// Status 416, with `Content-Range: bytes */length`.
    case rangeNotSatisfiable
  }

  /// Evaluates the conditions of a request, in the order of RFC 9110 §13.2.2.
  ///
  /// - Parameters:
  ///   - method: the method. `If-Modified-Since` applies to GET and HEAD only, and `Range` to GET only.
  ///   - fields: the fields of the request.
  ///   - representation: the current representation; nil if there is none. `If-None-Match: *` allows the request only if there
  ///     is none.
  ///   - now: the time of the response's `Date`. It determines the century of a date with a two-digit year, and whether
  ///     `Last-Modified` is old enough for `If-Range`.
  /// - Returns: the kind of the response.
  package static func evaluate(
    method: Method, fields: FieldList, representation: Representation?, now: HTTPDate
  ) -> Outcome {
    let reads = method == .get || method == .head
    if !fields.all("If-Match").isEmpty {
      guard satisfiesIfMatch(fields, representation) else { return .preconditionFailed }
    } else if let date = date("If-Unmodified-Since", fields, now), let modified = representation?.lastModified
    {
      guard modified <= date else { return .preconditionFailed }
    }
    if !fields.all("If-None-Match").isEmpty {
      guard satisfiesIfNoneMatch(fields, representation) else {
        return reads ? .notModified : .preconditionFailed
      }
    } else if reads, let date = date("If-Modified-Since", fields, now),
      let modified = representation?.lastModified
    {
      guard modified > date else { return .notModified }
    }
    guard method == .get, let representation else { return .full }
    return range(fields, representation, now)
  }

  /// Returns true if `If-Match` allows the request, by strong comparison (§13.1.1).
  private static func satisfiesIfMatch(_ fields: FieldList, _ representation: Representation?) -> Bool {
    guard let representation else { return false }
    let elements = fields.tokens(of: "If-Match")
    if elements == ["*"] { return true }
    guard let tag = representation.entityTag else { return false }
    return elements.contains { EntityTag(parsing: $0)?.matchesStrongly(tag) ?? false }
  }

  /// Returns true if `If-None-Match` allows the request, by weak comparison (§13.1.2).
  private static func satisfiesIfNoneMatch(_ fields: FieldList, _ representation: Representation?) -> Bool {
    guard let representation else { return true }
    let elements = fields.tokens(of: "If-None-Match")
    if elements == ["*"] { return false }
    guard let tag = representation.entityTag else { return true }
    return !elements.contains { EntityTag(parsing: $0)?.matchesWeakly(tag) ?? false }
  }

  private static func range(
    _ fields: FieldList, _ representation: Representation, _ now: HTTPDate
  ) -> Outcome {
    let ranges = fields.all("Range")
    guard ranges.count == 1, let range = ByteRange(ranges[0]), satisfiesIfRange(fields, representation, now)
    else { return .full }
    // An empty representation has no ranges, but every suffix range matches it as a whole (§14.1.2).
    if representation.length == 0, case .suffix(let count) = range, count > 0 { return .full }
    guard let bytes = range.resolve(length: representation.length) else { return .rangeNotSatisfiable }
    return .partial(bytes)
  }

  /// Returns true if the client's partial copy belongs to the current version, byte for byte (§13.1.5).
  private static func satisfiesIfRange(
    _ fields: FieldList, _ representation: Representation, _ now: HTTPDate
  ) -> Bool {
    let conditions = fields.all("If-Range")
    guard let condition = conditions.first else { return true }
    guard conditions.count == 1 else { return false }
    if let tag = EntityTag(parsing: condition) {
      return representation.entityTag.map(tag.matchesStrongly) ?? false
    }
    guard let date = HTTPDate(condition, now: now), let modified = representation.lastModified
    else { return false }
    // RFC 9110 §8.8.2.2: the representation may change again within the second of `Last-Modified`. The date identifies one
    // version only when that second is over.
    return date == modified && modified < now
  }

  /// Returns the date in a field; nil if the field is missing, repeated or invalid. A repeated or invalid field is ignored
  /// (§13.1.3).
  private static func date(_ name: String, _ fields: FieldList, _ now: HTTPDate) -> HTTPDate? {
    let values = fields.all(name)
    return values.count == 1 ? HTTPDate(values[0], now: now) : nil
  }
}
