internal import HTTP

/// The fuzz target for the bytes that a client receives on one HTTP connection.
enum ResponseStream {
  /// Byte 0 chooses how the stream is divided into pieces. Byte 1 chooses the limits. Byte 2 chooses which of the requests are
  /// HEAD requests. The remaining bytes are the stream.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let plan = reader.byte()
    let limits = RequestStream.limits(reader.byte())
    let methods = reader.byte()
    let bytes = reader.takeRest()

    let whole = try ResponseReading([bytes[...]], limits, methods)
    let cut = try ResponseReading(Cuts(plan, of: bytes.count).map { bytes[$0] }, limits, methods)
    try expect(cut == whole, "cut: \(cut)\nwhole: \(whole)")
    if let error = whole.error { try expect(!error.description.isEmpty, "no description") }

    for case .head(let head) in whole.events {
      try expect(head.fields.count <= limits.fieldCount, "\(head.fields.count) fields")
      try expect(100...999 ~= head.status.code, "the status \(head.status)")
      var written: [UInt8] = []
      head.append(to: &written)
      let again = try ResponseReading([written[...]], RequestLimits(), 0)
      // The head is written with the standard reason phrase of its status. This phrase may be longer than the received one, so
      // the head may exceed its limit.
      guard case .head(let same)? = again.events.first else { continue }
      try expect(same.status == head.status && same.fields == head.fields, "\(head) became \(same)")
    }
    for case .body(let content) in whole.events {
      try expect(content.count <= limits.bodyBytes, "content of \(content.count) bytes")
    }
  }
}

/// The events of a stream.
private struct ResponseReading: Equatable {
  enum Event: Equatable {
    case head(ResponseHead)
    case body([UInt8])
    case end
  }

  private(set) var events: [Event] = []
  private(set) var error: MessageError?

  init(_ pieces: [ArraySlice<UInt8>], _ limits: RequestLimits, _ methods: UInt8) throws {
    var reader = ResponseReader(limits: limits)
    for bit in 0..<8 { reader.expect(methods >> bit & 1 == 0 ? .get : .head) }
    do {
      for piece in pieces {
        let piece = Array(piece)
        var position = 0
        while let event = try reader.next(in: piece.span, at: &position) { receive(event, in: piece) }
        try expect(
          position == piece.count, "the reader needs more input, but left \(piece.count - position) bytes")
      }
      if try reader.finish() != nil { events.append(.end) }
    } catch let error as MessageError {
      self.error = error
      try check(reader, error)
    }
  }

  /// Checks that a reader that failed throws the same error again.
  private func check(_ reader: ResponseReader, _ error: MessageError) throws {
    guard error != .cutShort else { return }
    var reader = reader
    var position = 0
    do throws(MessageError) {
      _ = try reader.next(in: [0x41].span, at: &position)
    } catch let again {
      return try expect(again == error, "the first error was \(error), the next error is \(again)")
    }
    throw Finding("the reader continued after \(error)")
  }

  private mutating func receive(_ event: ResponseReader.Event, in piece: [UInt8]) {
    switch event {
    case .interim(let head), .head(let head):
      events.append(.head(head))
    case .body(let range):
      if case .body(let before)? = events.last {
        events[events.count - 1] = .body(before + piece[range])
      } else {
        events.append(.body(Array(piece[range])))
      }
    case .end:
      events.append(.end)
    }
  }
}
