internal import HTTP

/// Header fields, and all values parsed from them.
enum FieldLines {
  /// Byte 0 of the input chooses the method, the length of the content, and the encoding. The remaining bytes are lines
  /// `name: value`.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let choice = reader.byte()
    let fields = fields(reader.takeLines(isUTF8: choice & 64 != 0))

    for field in fields { try check(field.value) }
    _ = AcceptEncoding.prefersGzip(fields)
    for name in Set(fields.map(\.name)) {
      for token in fields.tokens(of: name) {
        try expect(
          !token.isEmpty && !isBlank(token.utf8.first) && !isBlank(token.utf8.last), "the token '\(token)'")
      }
    }
    try checkForwarding(choice, fields)
    try checkAnswer(choice, fields)
  }

  /// Checks that fields added by trusted proxies are parsed correctly or ignored, regardless of the fields that the
  /// client sent.
  private static func checkForwarding(_ choice: UInt8, _ sent: FieldList) throws {
    let proxies = 1 + Int(choice % 3)
    let first = ForwardedHop(client: "192.0.2.1", isSecure: nil, authority: nil)
    let chain = ["192.0.2.1", "2001:db8::2", "192.0.2.3"].prefix(proxies)
    let nodes = chain.map { $0.utf8.contains(0x3A) ? "for=\"[\($0)]\"" : "for=\($0)" }
    for isOnOneLine in [false, true] {
      let standard = adding(nodes, to: "Forwarded", in: sent, isOnOneLine)
      let readStandard = ForwardedHop.forwarded(in: standard, behind: proxies)
      try expect(readStandard == .hop(first) || readStandard == .unusable, "\(standard): \(readStandard)")
      let customary = adding(Array(chain), to: "X-Forwarded-For", in: sent, isOnOneLine)
      guard case .hop(let hop) = ForwardedHop.xForwarded(in: customary, behind: proxies) else {
        throw Finding("\(customary): no hop is parsed")
      }
      try expect(hop.client == first.client, "\(customary): \(hop)")
    }
    for count in 1...3 {
      _ = ForwardedHop.forwarded(in: sent, behind: count)
      _ = ForwardedHop.xForwarded(in: sent, behind: count)
    }
  }

  /// Returns the fields with elements that proxies added to the field `name`: at the end of its last line, or each element in a
  /// line of its own.
  private static func adding(
    _ elements: [String], to name: String, in fields: FieldList, _ isOnOneLine: Bool
  ) -> FieldList {
    var added = fields
    let sent = fields.all(name)
    if isOnOneLine {
      added.remove(name)
      for value in sent.dropLast() { added.append(name, value) }
      added.append(name, (sent.suffix(1) + elements).joined(separator: ", "))
    } else {
      for element in elements { added.append(name, element) }
    }
    return added
  }

  /// Returns the fields that the lines contain. Lines whose field name has characters other than letters, digits and hyphens are
  /// skipped.
  static func fields(_ lines: [String]) -> FieldList {
    var fields = FieldList()
    for line in lines {
      let name = line.utf8.prefix { $0 != 0x3A }
      guard !name.isEmpty, name.count < line.utf8.count,
        name.allSatisfy({ 0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || $0 == 0x2D })
      else { continue }
      fields.append(String(decoding: name, as: UTF8.self), String(line[name.endIndex...].dropFirst(2)))
    }
    return fields
  }

  /// Checks that each parsed value of a field can be written and parsed again.
  private static func check(_ value: String) throws {
    if let tag = EntityTag(parsing: value) {
      try expect("\(tag)".utf8.elementsEqual(value.utf8), "the tag \(value) is written \(tag)")
    }
    if let date = HTTPDate(value, now: now) {
      try expect(HTTPDate("\(date)", now: now) == date, "\(value) is written \(date), which is another date")
    }
    if let authority = Authority(value) {
      try expect(Authority("\(authority)") == authority, "\(value) is written \(authority)")
      try expect(1...65_535 ~= authority.port ?? 1 || authority.port == 0, "the port of \(authority)")
    }
    if let type = MediaType(parsing: value) {
      try expect(type.value == value, "the type \(value) became \(type.value)")
      try expect(type.essence.utf8.contains(0x2F), "the essence of \(value) is \(type.essence)")
    }
    if let name = ContentDisposition.fileName(value) {
      try expect(!name.isEmpty, "an empty name in \(value)")
      try check(fileName: name)
    }
    try check(fileName: value)
    if let bytes = Base64.decode(value) {
      try expect(Base64.encode(bytes) == value, "\(value) is decoded, but is not canonical")
    }
    if let path = try? TargetPath.resolve(value) { try check(path) }  // nil if the path breaks a rule
  }

  /// Checks that a file name cannot end the field, and that a reader gets the same name.
  private static func check(fileName name: String) throws {
    for field in [ContentDisposition.attachment(fileName: name), ContentDisposition.inline(fileName: name)] {
      try expect(field.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "\(field) holds more than printable ASCII")
      let read = ContentDisposition.fileName(field) ?? ""
      try expect(read.utf8.elementsEqual(name.utf8), "\(name) is written \(field), which is read as \(read)")
    }
  }

  /// Checks that a resolved path cannot lead out of its folder, and that the path stays the same when it is encoded and resolved
  /// again.
  static func check(_ path: TargetPath) throws {
    try expect(path.components.count <= 32, "\(path.components.count) components")
    for name in path.components {
      try expect(
        !name.isEmpty && name.utf8.count <= 255 && name.utf8.first != 0x2E
          && !name.utf8.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x5C || $0 == 0x7F },
        "the component '\(name)'")
    }
    let encoded = path.components.map { name in
      "/" + name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let text = encoded.joined() + (path.isDirectory ? "/" : "")
    let again = try TargetPath.resolve(text)
    try expect(
      again.isDirectory == path.isDirectory
        && again.components.elementsEqual(path.components) { $0.utf8.elementsEqual($1.utf8) },
      "\(path) became \(again)")
  }

  /// Checks that the range of the response lies within the content, and that the response head states the right content length.
  private static func checkAnswer(_ choice: UInt8, _ fields: FieldList) throws {
    let methods: [Method] = [.get, .head]
    let lengths = [0, 1, 10, 1_000_000_000]
    let length = lengths[Int(choice >> 1 & 3)]
    let representation = Representation(
      length: length, entityTag: choice & 8 == 0 ? EntityTag("a", isWeak: choice & 16 != 0) : nil,
      lastModified: choice & 32 == 0 ? HTTPDate(secondsSinceEpoch: 784_111_777) : nil)
    guard let request = RequestHead(methods[Int(choice & 1)], "/", fields: fields) else {
      throw Finding("the request head is refused")
    }
    let answer = RepresentationResponse(
      to: request, with: representation, always: [:], withContent: ["Content-Type": "text/plain"], now: now)
    if case .content(let head, let range) = answer {
      try expect(range.lowerBound >= 0 && range.upperBound <= length, "\(range) of \(length)")
      guard let told = head.fields.first("Content-Length") else {
        return try expect(head.status == .notModified && range.isEmpty, "no Content-Length")
      }
      try expect(
        Int(told) == range.count || request.method == .head && range.isEmpty,
        "Content-Length is \(told), but the range is \(range)")
      try expect(
        head.status != .partialContent || request.method == .get && !range.isEmpty,
        "\(head.status) with \(range)")
    }
    _ = Preconditions.evaluate(method: .put, fields: fields, representation: nil, now: now)
  }

  private static let now = HTTPDate(secondsSinceEpoch: 1_800_000_000)

  private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
}
