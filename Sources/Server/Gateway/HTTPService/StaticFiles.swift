package import HTTP
internal import Wire

/// The files of the page: read once at the start, then an immutable table that all reactors share.
package struct StaticFiles: Sendable {
  /// An answer, and which bytes of which array are its body.
  package struct Answer: Sendable {
    package var head: ResponseHead
    /// Shared with the table: holding it copies nothing.
    package var bytes: [UInt8]
    /// What of `bytes` is sent; empty for HEAD, 304 and an empty file.
    package var range: Range<Int>
  }

  /// By the names from the folder down, joined by `/`, in UTF-8: two spellings of a letter are two names.
  private let files: [[UInt8]: StaticFile]

  /// A table of files by their paths below the folder, such as `js/main.js`.
  package init(_ files: [(path: String, file: StaticFile)]) {
    self.files = Dictionary(files.map { (Array($0.path.utf8), $0.file) }, uniquingKeysWith: { $1 })
  }

  /// How many files there are.
  package var count: Int { files.count }

  /// How many bytes the table holds, compressed twins included.
  package var lengthInBytes: Int {
    files.values.reduce(0) { $0 + $1.identity.bytes.count + ($1.gzip?.bytes.count ?? 0) }
  }

  /// Answers a request, whatever its method; `nil` when no file has that path.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - isCrossSiteReferral: whether a page of another site led to it. The length of a compressed answer can tell a stranger,
  ///     who has a browser ask again and again, what is in it (BREACH). Our pages are the same for everybody and hold no secret;
  ///     they are sent as they are all the same, so that this need not be argued. It costs who follows a link 25 KB, once.
  ///   - now: the time of the answer's `Date`, which the caller adds, as it does `Connection`.
  /// - Returns: 200, 206, 304, 412, 416, for other methods 405 and for OPTIONS 204. Security fields are not in it: the
  ///   caller adds `SecurityFields`, as it does to every answer.
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
        .badRequest, "This is a file: it can be read, with GET or HEAD, and nothing else.")
      refusal.status = 405
      return Self.answer(refusal, adding: "Allow", Self.methods)
    }
  }

  private static let methods = "GET, HEAD, OPTIONS"

  /// The file of a request's path. The root and `/s/{session}` are the page.
  private func file(at rawPath: String) -> StaticFile? {
    // What cannot be below the folder is not found: a path with a fault names nothing.
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
    switch RepresentationAnswer(
      to: head, with: form.representation, always: always, withContent: withContent, now: now)
    {
    case .content(let answered, let range):
      return Answer(head: answered, bytes: form.bytes, range: range)
    case .preconditionFailed:
      var refusal = Refusal(.badRequest, "The file is not the version that was asked for.")
      refusal.status = 412
      return Self.answer(refusal)
    case .rangeNotSatisfiable(let contentRange):
      var refusal = Refusal(
        .badRequest, "The file has no such bytes.", limit: form.representation.length)
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
