internal import HTTP

/// The fuzz target for the bytes that a server receives on one HTTP connection.
enum RequestStream {
  /// Byte 0 of the input chooses how the stream is divided into pieces, byte 1 the limits; the remaining bytes are the stream.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let plan = reader.byte()
    let limits = limits(reader.byte())
    let bytes = reader.takeRest()

    var whole = RequestReading(limits)
    whole.feed(bytes)
    var cut = RequestReading(limits)
    for range in Cuts(plan, of: bytes.count) { cut.feed(Array(bytes[range])) }
    try expect(cut == whole, "cut: \(cut)\nwhole: \(whole)")

    try whole.check(limits)
    if let error = whole.error {
      try expect(
        400...505 ~= error.status.code && !error.description.isEmpty, "no description of \(error.status)")
    }
    for case .head(let head) in whole.events { try check(head) }
  }

  /// Returns small limits, so that short inputs reach them.
  static func limits(_ choice: UInt8) -> RequestLimits {
    var limits = RequestLimits()
    limits.bodyBytes = choice & 3 == 0 ? 1 << 20 : Int(choice & 3) * 7
    if choice & 4 != 0 { (limits.headBytes, limits.requestLineBytes) = (120, 40) }
    if choice & 8 != 0 { (limits.fieldCount, limits.fieldBytes) = (3, 32) }
    if choice & 16 != 0 { (limits.trailerBytes, limits.chunkExtensionBytes) = (16, 8) }
    if choice & 32 != 0 { limits.methodBytes = 4 }
    return limits
  }

  /// Checks that a head, written and parsed again, has the same meaning.
  private static func check(_ head: RequestHead) throws {
    var bytes: [UInt8] = []
    head.append(to: &bytes)
    var again = RequestReading(roomy)
    again.feed(bytes)
    try expect(again.events.first == .head(head), "\(head) was written and became \(again)")
    try expect(head.path.utf8.first == 0x2F || head.path == "*", "the path \(head.path)")
    try expect(head.minorVersion == 0 || head.authority != nil, "no authority in \(head)")
    try expect(!head.expectsContinue || head.body != .none, "100-continue without a body")
    _ = (head.keepsAlive, head.query)
    if let path = resolved(head.path) { try FieldLines.check(path) }
  }

  private static func resolved(_ path: String) -> TargetPath? {
    try? TargetPath.resolve(path)  // nil if the path breaks a rule
  }

  private static let roomy = {
    var limits = RequestLimits()
    (limits.headBytes, limits.requestLineBytes, limits.fieldBytes) = (1 << 24, 1 << 24, 1 << 24)
    return limits
  }()
}

/// The events and the state of a request reader that has read a stream of bytes.
private struct RequestReading: Equatable {
  enum Event: Equatable {
    case head(RequestHead)
    case body([UInt8])
    case end
  }

  private(set) var events: [Event] = []
  private(set) var error: MessageError?
  private(set) var consumed = 0
  private(set) var isBetweenRequests = true
  private(set) var isInHead = false
  private(set) var fault: String?
  private let connection: Connection

  /// The reader under test. Any two objects of this class are equal, so that the comparison of two `RequestReading`s ignores the
  /// reader.
  private final class Connection: Equatable {
    var reader: RequestReader

    init(_ reader: RequestReader) {
      self.reader = reader
    }

    static func == (one: Connection, other: Connection) -> Bool { true }
  }

  init(_ limits: RequestLimits) {
    connection = Connection(RequestReader(limits: limits))
  }

  mutating func feed(_ piece: [UInt8]) {
    var position = 0
    defer {
      isBetweenRequests = connection.reader.isBetweenRequests
      isInHead = connection.reader.isInHead
    }
    do throws(MessageError) {
      while true {
        let before = position
        guard let event = try connection.reader.next(in: piece.span, at: &position) else { break }
        receive(event, in: piece)
        if position < before { fault = "the position moved back from \(before) to \(position)" }
      }
      if position != piece.count {
        fault = "the reader needs more input, but left \(piece.count - position) bytes unread"
      }
      consumed += piece.count
    } catch {
      if let known = self.error, known != error {
        fault = "the first error was \(known), the next error is \(error)"
      }
      if self.error == nil { consumed += position }
      self.error = error
    }
  }

  private mutating func receive(_ event: RequestReader.Event, in piece: [UInt8]) {
    if error != nil { fault = "\(event) after an error" }
    switch event {
    case .head(let head):
      events.append(.head(head))
      // PATCH requests have a lower limit here, like some routes of the gateway.
      if head.method == .patch { connection.reader.bodyLimit = min(connection.reader.bodyLimit, 5) }
    case .body(let range):
      if range.isEmpty { fault = "an empty piece of a body" }
      if case .body(let before)? = events.last {
        events[events.count - 1] = .body(before + piece[range])
      } else {
        events.append(.body(Array(piece[range])))
      }
    case .end:
      events.append(.end)
    }
  }

  /// Checks that each request has a head, optional content and an end, within the limits.
  func check(_ limits: RequestLimits) throws {
    if let fault { throw Finding(fault) }
    var head: RequestHead?
    var content = 0
    for event in events {
      switch event {
      case .head(let begun):
        try expect(head == nil, "a head inside a request")
        try expect(begun.fields.count <= limits.fieldCount, "\(begun.fields.count) fields")
        for field in begun.fields {
          let length = field.name.unicodeScalars.count + field.value.unicodeScalars.count
          try expect(length <= limits.fieldBytes, "a field of \(length) bytes")
        }
        head = begun
        content = 0
      case .body(let bytes):
        content = bytes.count
        try expect(head != nil && head?.body != BodyFraming.none, "content without a head")
        try expect(content <= (head?.method == .patch ? 5 : limits.bodyBytes), "content of \(content) bytes")
      case .end:
        guard let ended = head else { throw Finding("an end without a head") }
        if case .length(let length) = ended.body {
          try expect(content == length, "\(content) bytes of content, but Content-Length is \(length)")
        }
        head = nil
      }
    }
    if error == nil {
      try expect((head == nil && !isInHead) == isBetweenRequests, "isBetweenRequests or isInHead is wrong")
    }
  }
}
