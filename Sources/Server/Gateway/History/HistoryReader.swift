internal import Glibc
internal import HTTP
internal import Platform
internal import SessionCore
internal import Storage
internal import Wire

/// Reads the history of a session for one request. It runs on a file thread.
actor HistoryReader {
  private let store: any SessionStore
  private let session: SessionID
  private let executor: BlockingExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ session: SessionID, in store: any SessionStore, on executor: BlockingExecutor) {
    self.session = session
    self.store = store
    self.executor = executor
  }

  /// Opens the stored blocks of one piece that contain the requested entries, or a whole state.
  ///
  /// - Parameters:
  ///   - request: a request for entries or for a state.
  ///   - isCompressed: true for the gzip format.
  /// - Returns: the content; nil if the history does not have the entries or the state, or if the tag of their piece is not the one
  ///   that the client expects.
  /// - Throws: `StorageError` if the history cannot be read.
  func open(_ request: HistoryRequest, isCompressed: Bool) throws(StorageError) -> (any StoredContent)? {
    let pieces = try store.historyPieces(of: session)
    switch request {
    case .overview:
      return nil
    case .state(let sequence, let tag):
      guard let piece = pieces.first(where: { $0.kind == .state && $0.last == sequence }),
        let file = try file(of: piece, tag: tag)
      else { return nil }
      return file.content(of: file.blocks.indices, isCompressed: isCompressed)
    case .entries(let range, let tag):
      guard
        let piece = pieces.first(where: { $0.kind == .chunk && $0.last >= range.lowerBound }),
        piece.first <= range.upperBound, let file = try file(of: piece, tag: tag)
      else { return nil }
      let first = file.blocks.firstIndex { $0.last >= range.lowerBound } ?? 0
      let end = file.blocks.firstIndex { $0.first > range.upperBound } ?? file.blocks.count
      return file.content(of: first..<max(first + 1, end), isCompressed: isCompressed)
    }
  }

  /// Reads the list of the pieces, and the summary of the history with its tail.
  ///
  /// - Parameters:
  ///   - tail: the runs of the log that the history lacks, with their times.
  ///   - sequence: the last sequence of the history at the time when the tail was read.
  ///   - through: the last stored sequence of the session.
  /// - Returns: the overview.
  /// - Throws: `StorageError` if the history cannot be read.
  func overview(
    with tail: [SessionRecord], after sequence: UInt64, through: UInt64
  ) throws(StorageError) -> HistoryOverview {
    // If the history changes at the same time, this list may lack a piece. A client that needs this piece reads the overview again.
    let pieces = try store.historyPieces(of: session).filter { $0.last <= sequence }
    var summary = HistoryOverview.Summary()
    for piece in pieces where piece.kind == .chunk {
      do throws(StorageError) {
        for block in try store.openHistory(piece, of: session).blocks {
          summary.add(HistoryOverview.Bucket(block))
        }
      } catch {
        // The piece was removed after it was listed, or is damaged. The rest of the history can be used.
        continue
      }
    }
    for group in try groups(of: tail, after: sequence) { summary.add(HistoryOverview.Bucket(group)) }
    return HistoryOverview(pieces, summary, through: through)
  }

  /// Returns an overview as JSON.
  func encode(_ overview: HistoryOverview, _ participants: [Participant]) -> [UInt8] {
    overview.encoded(participants)
  }

  /// Returns the entries of a tail in the form in which they are sent, compressed with gzip if requested and possible.
  func encode(
    _ tail: [SessionRecord], after sequence: UInt64, isCompressed: Bool
  ) throws(StorageError) -> (bytes: [UInt8], isCompressed: Bool) {
    var bytes: [UInt8] = []
    for group in try groups(of: tail, after: sequence) { group.append(to: &bytes) }
    guard isCompressed, let compressed = Gzip.compress(bytes, .usual) else { return (bytes, false) }
    return (compressed, true)
  }

  private func groups(
    of tail: [SessionRecord], after sequence: UInt64
  ) throws(StorageError) -> [HistoryGroup] {
    var groups: [HistoryGroup] = []
    var reached = sequence
    do throws(RecordError) {
      for (index, record) in tail.enumerated() where record.kind == .run {
        var time: UInt64?
        if index + 1 < tail.count, tail[index + 1].kind == .time {
          let body = tail[index + 1].body
          time = try TimeRecord(body.span).milliseconds
        }
        groups += try HistoryGroup.groups(inRun: record.body.span, after: reached, time: time)
        reached = groups.last?.last ?? reached
      }
    } catch {
      throw .record(error)
    }
    return groups
  }

  /// Opens a piece that may have been removed after it was listed.
  private func file(of piece: HistoryPiece, tag: String?) throws(StorageError) -> HistoryPieceFile? {
    guard tag.map({ $0 == piece.tagText }) ?? true else { return nil }
    do throws(StorageError) {
      return try store.openHistory(piece, of: session)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}
