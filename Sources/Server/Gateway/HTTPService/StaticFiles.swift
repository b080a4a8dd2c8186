package import HTTP
internal import Wire

/// The files of the page: an immutable table that is read at the start and shared by all reactors.
package struct StaticFiles: Sendable {
  /// A response whose body is a range of an array.
  package struct Answer: Sendable {
    package var head: ResponseHead
    /// Shared with the table, not copied.
    package var bytes: [UInt8]
    /// The sent part of `bytes`; empty for HEAD, 304 and an empty file.
    package var range: Range<Int>
  }

  /// The files by their paths inside the folder. The keys are the paths' UTF-8 bytes, so that equivalent Unicode spellings are
  /// different.
  private let files: [[UInt8]: StaticFile]

  /// Creates a table of files by their paths inside the folder, such as `js/main.js`.
  package init(_ files: [(path: String, file: StaticFile)]) {
    self.files = Dictionary(files.map { (Array($0.path.utf8), $0.file) }, uniquingKeysWith: { $1 })
  }

  /// The number of files.
  package var count: Int { files.count }

  /// The bytes of all files, including the compressed forms.
  package var lengthInBytes: Int {
    files.values.reduce(0) { $0 + $1.identity.bytes.count + ($1.gzip?.bytes.count ?? 0) }
  }

  /// Answers a request of any method; nil if no file has this path.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - isCrossSiteReferral: true if a link on a page of another site led to the request. The length of a compressed response
  ///     can reveal its content to a site that has a browser repeat the request (BREACH). The gateway's pages are the same for all
  ///     clients and contain no secret, but are sent uncompressed then, so that no proof is needed. That costs 25 KB, once per
  ///     followed link.
  ///   - now: the time in the response's `Date`, which the caller adds, as it does `Connection`.
  /// - Returns: 200, 206, 304, 412 or 416; 405 for other methods, 204 for OPTIONS. The caller adds `SecurityFields`, as to every
  ///   response.
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

  /// Returns the file for a request's path. The root and `/s/{session}` lead to the page.
  private func file(at rawPath: String) -> StaticFile? {
    // A malformed path, or a path that leads out of the folder, is not found.
    guard let path = try? TargetPath.resolve(rawPath) else { return nil }
    var components = path.components
    if components.count == 2, components[0] == "s", !path.isDirectory {
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
    var always: FieldList = ["Cache-Control": "no-cache"]
    if file.gzip != nil { always.append("Vary", "Accept-Encoding") }
    var withContent: FieldList = ["Content-Type": file.mediaType.value]
    if isCompressed { withContent.append("Content-Encoding", "gzip") }
    switch RepresentationResponse(
      to: head, with: form.representation, always: always, withContent: withContent, now: now)
    {
    case .content(let answered, let range):
      return Answer(head: answered, bytes: form.bytes, range: range)
    case .preconditionFailed:
      var refusal = Refusal(.badRequest, "The file does not match the precondition of the request.")
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
  /// An answer with a static file.
  init(_ file: StaticFiles.Answer) {
    self.init(file.head.status)
    head = file.head
    bytes = file.bytes
    range = file.range
  }
}
