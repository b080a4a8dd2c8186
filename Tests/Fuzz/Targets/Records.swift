internal import FoundationEssentials
internal import SessionCore
internal import Wire

/// The bodies of a log's records, one body per input.
enum Records {
  /// Byte 0 is the record's kind; the rest is its body.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let kind = SessionRecord.Kind.allCases[reader.below(SessionRecord.Kind.allCases.count)]
    let body = reader.takeRest()
    do {
      try check(kind, body)
    } catch let error as RecordError {
      try expect(!error.description.isEmpty, "no description of \(error.fault)")
    }
    // The entry of an attachment contains JSON too, so the input is also parsed as this JSON.
    _ = try? AttachmentObject(stored: body.span, key: EntryKey.zero)  // nil if the body is refused
  }

  private static func check(_ kind: SessionRecord.Kind, _ body: [UInt8]) throws {
    switch kind {
    case .session: try check(body, SessionHeaderRecord.init, \.encoded)
    case .participant: try check(body, ParticipantRecord.init, \.encoded)
    case .closed: try check(body, ClosedRecord.init, \.encoded)
    case .end: try check(body, EndRecord.init, \.encoded)
    case .restored: try check(body, RestoredRecord.init, \.encoded)
    case .upload: try check(body, UploadRecord.init, \.encoded)
    case .numbers: _ = try NumbersRecord(body.span)
    case .used:
      let pairs = try ConsumedSequencesRecord(body.span).pairs
      try expect(pairs.count * 8 == body.count, "\(pairs.count) of \(body.count) bytes")
    case .time: _ = try TimeRecord(body.span)
    case .run: try checkRun(body)
    case .base: break
    }
  }

  /// Checks that a parsed record, written again, parses to the same record.
  private static func check<Facts>(
    _ body: [UInt8], _ read: (Span<UInt8>) throws -> Facts, _ record: (Facts) -> SessionRecord
  ) throws {
    let written = record(try read(body.span))
    let again = record(try read(written.body.span))
    try expect(
      again == written,
      "\(String(decoding: written.body, as: UTF8.self)) became \(String(decoding: again.body, as: UTF8.self))"
    )
  }

  /// Checks that the frames are adjacent, up to the end of the body.
  private static func checkRun(_ body: [UInt8]) throws {
    var frames = RunFrames()
    var end = 0
    while let frame = try frames.next(in: body.span) {
      let header = 8 + 4 * (frame.targets?.count ?? 0)
      try expect(frame.entries.lowerBound == end + header, "\(frame) does not begin at \(end)")
      end = frame.entries.upperBound
    }
    try expect(end == body.count, "\(body.count - end) bytes are left")
    _ = try RunFrames.lastSequence(in: body.span)
  }
}
