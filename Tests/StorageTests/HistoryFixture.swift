import CZlib
import FoundationEssentials
import SessionCore
import Storage
import Testing
import Wire

extension SessionRecord {
  /// Returns a run with one entry that replaces the retained entries of a key.
  static func stroke(
    _ sequence: UInt64, key: UInt64 = 1, retention: Retention = .replace, sender: ParticipantNumber = 1,
    payload: [UInt8] = [1, 2, 3]
  ) -> SessionRecord {
    let entry = entry(sequence, key: key, retention: retention, sender: sender, payload: payload)
    var body: [UInt8] = []
    body.append(bigEndian: UInt32(entry.count))
    body.append(bigEndian: UInt32.max)
    return SessionRecord(kind: .run, body: body + entry)
  }

  /// Returns a `base` record with one retained entry.
  static func base(_ through: UInt64, entry sequence: UInt64, key: UInt64) -> SessionRecord {
    var body: [UInt8] = []
    body.append(bigEndian: through)
    return SessionRecord(kind: .base, body: body + entry(sequence, key: key, retention: .replace))
  }

  /// Returns the record of a time.
  static func time(_ milliseconds: Int) -> SessionRecord {
    TimeRecord(Date(timeIntervalSince1970: Double(milliseconds) / 1000)).encoded
  }

  private static func entry(
    _ sequence: UInt64, key: UInt64, retention: Retention, sender: ParticipantNumber = 1,
    payload: [UInt8] = [1, 2, 3]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    GatewayEntry.append(
      to: &bytes, flags: EntryFlags(.reliable, retention: retention), sequence: sequence, sender: sender,
      clientSequence: 1, key: EntryKey(high: 0, low: key), type: "T".utf8.span, payload: payload.span)
    return bytes
  }
}

extension HistoryPolicy {
  /// A policy with a limit that no test reaches by accident.
  static let large = HistoryPolicy(byteCount: 1 << 26, retainedBytes: 0)
}

/// The readable contents of a history.
struct ReadHistory {
  /// The pieces in their order.
  var pieces: [HistoryPiece] = []
  /// The sequences of the entries of all chunks.
  var sequences: [UInt64] = []
  /// The sequences of the entries of each state, by the sequence of the state.
  var states: [UInt64: [UInt64]] = [:]
  /// The JSON of all marks in the chunks.
  var marks: [String] = []

  /// Reads all pieces of a session's history, both compressed and uncompressed.
  init(of id: SessionID = .one, in store: any SessionStore) throws {
    pieces = try store.historyPieces(of: id)
    for piece in pieces {
      let file = try store.openHistory(piece, of: id)
      let plain = try Self.whole(file.content(of: file.blocks.indices, isCompressed: false))
      #expect(plain.count == file.byteCount)
      let compressed = try Self.whole(file.content(of: file.blocks.indices, isCompressed: true))
      #expect(gunzip(compressed, capacity: plain.count) == plain)
      var at = 0
      while at < plain.count {
        let entry = try GatewayEntry.parse(plain.span, at: at)
        at = entry.end
        switch piece.kind {
        case .chunk:
          if entry.sequence > 0 { sequences.append(entry.sequence) }
          if entry.sequence == 0 { marks.append(String(decoding: plain[entry.payload], as: UTF8.self)) }
        case .state:
          states[piece.last, default: []] += entry.sequence > 0 ? [entry.sequence] : []
        }
      }
    }
  }

  /// Reads a content in parts of an odd size.
  private static func whole(_ content: any StoredContent) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while UInt64(bytes.count) < content.mark.length {
      let count = min(10_007, Int(content.mark.length) - bytes.count)
      bytes += try content.read(at: UInt64(bytes.count), count: count)
    }
    return bytes
  }
}

/// Decompresses gzip data in one call; returns nil if zlib does not find exactly one valid member.
func gunzip(_ bytes: [UInt8], capacity: Int) -> [UInt8]? {
  var stream = unsafe z_stream()
  let begun = unsafe inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
  guard begun == Z_OK else { return nil }
  defer { unsafe inflateEnd(&stream) }
  var input = bytes
  var output = [UInt8](repeating: 0, count: capacity + 1)
  let (inputCount, outputCount) = (input.count, output.count)
  let ended = unsafe input.withUnsafeMutableBufferPointer { from in
    unsafe output.withUnsafeMutableBufferPointer { to in
      unsafe stream.next_in = from.baseAddress
      unsafe stream.avail_in = uInt(inputCount)
      unsafe stream.next_out = to.baseAddress
      unsafe stream.avail_out = uInt(outputCount)
      return unsafe inflate(&stream, Z_FINISH)
    }
  }
  let (left, made) = unsafe (stream.avail_in, Int(stream.total_out))
  guard ended == Z_STREAM_END, left == 0 else { return nil }
  return Array(output[..<made])
}
