package import HTTP
internal import Wire

/// The files of the page. They are read when the gateway starts, never change afterwards, and are shared by all reactors.
package struct StaticFiles: Sendable {
  /// A response whose body is a range of an array.
  package struct Answer: Sendable {
    package var head: ResponseHead
    /// The array that contains the body. It is shared with the table of files, not copied.
    package var bytes: [UInt8]
    /// The range of `bytes` to send; empty for `HEAD`, for status 304 and for an empty file.
    package var range: Range<Int>
  }

  /// The files by their paths inside the folder. The keys are the UTF-8 bytes of the paths: as strings, two paths with
  /// canonically equivalent characters would be equal.
  private let files: [[UInt8]: StaticFile]

  /// Creates a table of files by their paths inside the folder, such as `js/main.js`.
  package init(_ files: [(path: String, file: StaticFile)]) {
    self.files = Dictionary(files.map { (Array($0.path.utf8), $0.file) }, uniquingKeysWith: { $1 })
  }

  /// The number of files.
  package var count: Int { files.count }

  /// The number of bytes of all files, including the compressed forms.
  package var lengthInBytes: Int {
    files.values.reduce(0) { $0 + $1.identity.bytes.count + ($1.gzip?.bytes.count ?? 0) }
  }

  /// Returns the answer to a request with any method; nil if no file has the request's path.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - isCrossSiteReferral: true if a link on a page of another site led to the request. In this case, an HTML file is sent
  ///     uncompressed, as a precaution: if another site makes a browser repeat a request, the length of the compressed response
  ///     can reveal its content (BREACH). The files of the page contain no secret, but with this rule, nobody has to prove that.
  ///     The cost is 28 KB for each followed link. The requests of the service worker have no `Referer`, and count as no link.
  ///   - now: the time in the field `Date`. The caller adds the fields `Date` and `Connection`.
  /// - Returns: for `GET` and `HEAD`, an answer with status 200, 206, 304, 412 or 416; for `OPTIONS`, 204; for other methods,
  ///   405. The caller adds `SecurityFields`.
  package func answer(to head: RequestHead, isCrossSiteReferral: Bool, now: HTTPDate) -> Answer? {
    guard let file = file(at: head.path) else { return nil }
    switch head.method {
    case .get, .head:
      let isPlain = isCrossSiteReferral && file.mediaType == .page
      return answer(to: head, with: file, mayCompress: !isPlain, now: now)
    case .options:
      return Answer(head: ResponseHead(204, fields: ["Allow": Self.methods]), bytes: [], range: 0..<0)
    case .post, .put, .patch, .delete, .other:
      var refusal = Refusal(
        .badRequest, "This is a file: only GET, HEAD and OPTIONS are allowed.")
      refusal.status = 405
      return Self.answer(refusal, adding: "Allow", Self.methods)
    }
  }

  private static let methods = "GET, HEAD, OPTIONS"

  /// Returns the file for a request's path. For the root, and for `/s/{session}` with or without a trailing slash, this is the page
  /// (`index.html`). The gateway does not check the session's id here: the page does, because the page can repair or explain a
  /// damaged link.
  private func file(at rawPath: String) -> StaticFile? {
    // For a malformed path, or a path that leads out of the folder, there is no file.
    guard let path = try? TargetPath.resolve(rawPath) else { return nil }
    var components = path.components
    if components.count == 2, components[0] == "s" {
      components = ["index.html"]
    } else if path.isDirectory {
      components.append("index.html")
    }
    return files[Array(components.joined(separator: "/").utf8)]
  }

  private func answer(
    to head: RequestHead, with file: StaticFile, mayCompress: Bool, now: HTTPDate
  ) -> Answer {
    let isCompressed = mayCompress && file.gzip != nil && AcceptEncoding.prefersGzip(head.fields)
    let form = isCompressed ? file.gzip ?? file.identity : file.identity
    var always: FieldList = ["Cache-Control": file.caching.rawValue]
    // A 304 needs the policy, too: browsers replace the stored fields by those of the 304.
    if let policy = file.contentSecurityPolicy { always.append("Content-Security-Policy", policy) }
    if file.gzip != nil { always.append("Vary", "Accept-Encoding") }
    var withContent: FieldList = ["Content-Type": file.mediaType.value]
    if isCompressed { withContent.append("Content-Encoding", "gzip") }
    switch RepresentationResponse(
      to: head, with: form.representation, always: always, withContent: withContent, now: now)
    {
    case .content(let answered, let range):
      return Answer(head: answered, bytes: form.bytes, range: range)
    case .preconditionFailed:
      var refusal = Refusal(.badRequest, "The file does not meet the preconditions of the request.")
      refusal.status = 412
      return Self.answer(refusal)
    case .rangeNotSatisfiable(let contentRange):
      var refusal = Refusal(
        .badRequest, "The file does not have the requested range.", limit: form.representation.length)
      refusal.status = 416
      return Self.answer(refusal, adding: "Content-Range", contentRange)
    }
  }

  private static func answer(_ refusal: Refusal, adding name: String? = nil, _ value: String = "") -> Answer {
    let body = refusal.problem()
    var fields: FieldList = [
      "Content-Type": "application/problem+json", "Content-Length": String(body.count),
      "Cache-Control": "no-store",
    ]
    if let name { fields.append(name, value) }
    return Answer(
      head: ResponseHead(Status(refusal.httpStatus), fields: fields), bytes: body, range: 0..<body.count)
  }
}

extension Answer {
  /// Creates an answer from the answer of `StaticFiles`.
  init(_ file: StaticFiles.Answer) {
    self.init(file.head.status)
    head = file.head
    bytes = file.bytes
    range = file.range
  }
}
