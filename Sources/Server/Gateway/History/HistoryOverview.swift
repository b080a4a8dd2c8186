internal import SessionCore
internal import Storage
internal import Wire

/// The list of a history's pieces, and a summary of its entries. The page shows the summary at a slider.
struct HistoryOverview: Sendable {
  /// A summary of consecutive entries.
  struct Bucket: Equatable, Sendable {
    var first: UInt64
    var last: UInt64
    /// The times of the first and the last entries in milliseconds since 1970; nil if unknown.
    var firstTime: UInt64?
    var lastTime: UInt64?
    var entryCount: Int
    /// The number of entries of each sender. If there are many senders, only those with the most entries are listed.
    var senders: [ParticipantNumber: Int]

    init(_ block: HistoryBlock) {
      (first, last) = (block.first, block.last)
      (firstTime, lastTime) = (block.firstTime, block.lastTime)
      entryCount = block.entryCount
      senders = [:]
      for sender in block.senders { senders[sender.sender] = sender.count }
    }

    init(_ group: HistoryGroup) {
      (first, last) = (group.first, group.last)
      (firstTime, lastTime) = (group.time, group.time)
      entryCount = group.entryCount
      senders = group.senders
    }

    /// Adds the following entries.
    mutating func add(_ next: Bucket) {
      last = next.last
      firstTime = firstTime ?? next.firstTime
      lastTime = next.lastTime ?? lastTime
      entryCount += next.entryCount
      senders.merge(next.senders) { $0 + $1 }
    }

    /// The senders with the most entries, most first.
    var topSenders: [(sender: ParticipantNumber, count: Int)] {
      senders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(HistoryBlock.listedSenders)
        .map { (sender: $0.key, count: $0.value) }
    }
  }

  /// The buckets for any number of consecutive parts of a history. When there are too many buckets, each two neighbors are merged,
  /// so the memory for them is bounded.
  struct Summary: Sendable {
    /// The maximum number of buckets. It must be even.
    static let maximumBuckets = 512

    private(set) var buckets: [Bucket] = []
    /// The number of parts in each full bucket, and in the last bucket.
    private var (size, lastSize) = (1, 0)

    /// Adds the entries that follow the last bucket.
    mutating func add(_ part: Bucket) {
      if lastSize < size, !buckets.isEmpty {
        buckets[buckets.count - 1].add(part)
        lastSize += 1
        return
      }
      if buckets.count == Self.maximumBuckets { halve() }
      buckets.append(part)
      lastSize = 1
    }

    private mutating func halve() {
      var halved: [Bucket] = []
      for (index, bucket) in buckets.enumerated() {
        if index.isMultiple(of: 2) { halved.append(bucket) } else { halved[halved.count - 1].add(bucket) }
      }
      buckets = halved
      size *= 2
    }
  }

  /// The last sequence of the session that was stored at the time of the request.
  let through: UInt64
  private let pieces: [HistoryPiece]
  let buckets: [Bucket]

  /// Creates an overview.
  ///
  /// - Parameters:
  ///   - pieces: the pieces in rising sequence.
  ///   - summary: all entries.
  ///   - through: the last stored sequence of the session.
  init(_ pieces: [HistoryPiece], _ summary: Summary, through: UInt64) {
    self.pieces = pieces
    self.through = through
    buckets = summary.buckets
  }

  /// The numbers of all senders in the overview, without the gateway.
  var senders: Set<ParticipantNumber> {
    buckets.reduce(into: []) { senders, bucket in
      for (sender, _) in bucket.topSenders where sender != 0 { senders.insert(sender) }
    }
  }

  /// Encodes the overview.
  ///
  /// - Parameter participants: the participants among `senders` that the session knows.
  /// - Returns: the overview as JSON.
  func encoded(_ participants: [Participant]) -> [UInt8] {
    var writer = JSONWriter(capacity: 64 * (pieces.count + buckets.count) + 1024)
    writer.object { writer in
      writer.member("through", through)
      writer.member("stored", pieces.end)
      writer.name("states")
      writer.array { writeStates(to: &$0) }
      writer.name("chunks")
      writer.array { writeChunks(to: &$0) }
      writer.name("buckets")
      writer.array { writeBuckets(to: &$0) }
      writer.member("participants", participants)
    }
    return writer.bytes
  }

  private func writeStates(to writer: inout JSONWriter) {
    // A history that reaches back to the start of the session begins with the empty state, which is not stored as a piece.
    let first = pieces.first.map { $0.kind == .chunk ? $0.first : 0 } ?? buckets.first?.first
    if first == 1 {
      writer.element()
      writer.write(json: "[0,null,0]".utf8)
    }
    for piece in pieces where piece.kind == .state {
      writer.element()
      writer.write(json: "[\(piece.last),\"\(piece.tagText)\",\(piece.byteCount)]".utf8)
    }
  }

  private func writeChunks(to writer: inout JSONWriter) {
    for piece in pieces where piece.kind == .chunk {
      writer.element()
      writer.write(json: "[\(piece.first),\(piece.last),\"\(piece.tagText)\",\(piece.byteCount)]".utf8)
    }
  }

  private func writeBuckets(to writer: inout JSONWriter) {
    for bucket in buckets {
      let times = [bucket.firstTime, bucket.lastTime].map { $0.map { "\($0)" } ?? "null" }
      let senders = bucket.topSenders.map { "\($0.sender),\($0.count)" }.joined(separator: ",")
      writer.element()
      writer.write(
        json:
          "[\(bucket.first),\(bucket.last),\(times[0]),\(times[1]),\(bucket.entryCount),[\(senders)]]".utf8)
    }
  }
}
