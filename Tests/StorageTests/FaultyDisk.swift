import FoundationEssentials
import Storage
import Platform
import Wire

/// A disk that fails at a chosen call.
final class FaultyDisk: SessionDisk {
  /// The effect that a call has although it fails.
  enum Style: CaseIterable, Sendable {
    /// The call has no effect.
    case nothing
    /// A write writes half of its bytes; other calls have no effect.
    case half
    /// The call takes effect completely.
    case everything
  }

  struct Plan: Sendable {
    /// The number of the first failing call, from 1 on.
    var call: Int
    /// The `errno` of the failing calls.
    var code: CInt
    var style = Style.nothing
    /// True if all later calls fail too, until `mend`.
    var lasts = false
  }

  private let inner: any SessionDisk
  private let state: Guarded<(calls: Int, plan: Plan?)>

  init(_ inner: any SessionDisk, _ plan: Plan? = nil) {
    self.inner = inner
    state = Guarded((0, plan))
  }

  /// The number of calls up to now.
  var calls: Int { state.withLock { $0.calls } }

  /// Ends the failures.
  func mend() {
    state.withLock { $0.plan = nil }
  }

  /// Performs an operation, or fails.
  fileprivate func call<Result>(
    _ operation: StorageError.Operation, half: (() throws(StorageError) -> Void)? = nil,
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let failing = state.withLock { state -> Plan? in
      state.calls += 1
      guard let plan = state.plan, state.calls == plan.call || (plan.lasts && state.calls > plan.call) else {
        return nil
      }
      return plan
    }
    guard let failing else { return try body() }
    switch failing.style {
    case .nothing: break
    case .half: try half?()
    case .everything: _ = try body()
    }
    throw StorageError(operation, code: failing.code)
  }

  func makeSession(_ id: SessionID) throws(StorageError) -> any SessionFile {
    FaultyFile(try call(.makeSession) { () throws(StorageError) in try inner.makeSession(id) }, self)
  }

  func placeSession(_ id: SessionID) throws(StorageError) {
    try call(.makeSession) { () throws(StorageError) in try inner.placeSession(id) }
  }

  func discardMadeSession(_ id: SessionID) throws(StorageError) {
    try call(.removeSession) { () throws(StorageError) in try inner.discardMadeSession(id) }
  }

  func syncMadeSession(_ id: SessionID) throws(StorageError) {
    try call(.sync) { () throws(StorageError) in try inner.syncMadeSession(id) }
  }

  func moveSessionAway(_ id: SessionID) throws(StorageError) -> Bool {
    try call(.removeSession) { () throws(StorageError) in try inner.moveSessionAway(id) }
  }

  func removeMovedSession(_ id: SessionID) throws(StorageError) {
    try call(.removeSession) { () throws(StorageError) in try inner.removeMovedSession(id) }
  }

  func createFile(_ name: LogName, of id: SessionID) throws(StorageError) -> any SessionFile {
    FaultyFile(try call(.openLog) { () throws(StorageError) in try inner.createFile(name, of: id) }, self)
  }

  func openFile(
    _ name: LogName, of id: SessionID, toWrite isWriting: Bool
  ) throws(StorageError) -> any SessionFile {
    FaultyFile(
      try call(.openLog) { () throws(StorageError) in
        try inner.openFile(name, of: id, toWrite: isWriting)
      }, self)
  }

  func replaceLog(of id: SessionID) throws(StorageError) {
    try call(.compactLog) { () throws(StorageError) in try inner.replaceLog(of: id) }
  }

  func rename(_ name: LogName, to new: LogName, of id: SessionID) throws(StorageError) {
    try call(.writeHistory) { () throws(StorageError) in try inner.rename(name, to: new, of: id) }
  }

  func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    try call(.readHistory) { () throws(StorageError) in try inner.historyPieces(of: id) }
  }

  func removeFile(_ name: LogName, of id: SessionID) throws(StorageError) {
    try call(.compactLog) { () throws(StorageError) in try inner.removeFile(name, of: id) }
  }

  func syncNames(of id: SessionID) throws(StorageError) {
    try call(.sync) { () throws(StorageError) in try inner.syncNames(of: id) }
  }

  func syncSessions() throws(StorageError) {
    try call(.sync) { () throws(StorageError) in try inner.syncSessions() }
  }

  func syncAll() throws(StorageError) {
    try call(.sync) { () throws(StorageError) in try inner.syncAll() }
  }

  func recordCleanStop(_ generation: String) throws(StorageError) {
    try inner.recordCleanStop(generation)
  }

  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool {
    try call(.openLog) { () throws(StorageError) in try inner.holdsSession(id) }
  }

  func sessions() throws(StorageError) -> [SessionID] {
    try call(.listSessions) { () throws(StorageError) in try inner.sessions() }
  }

  func files(of id: SessionID) throws(StorageError) -> [StoredFile] {
    try call(.listFiles) { () throws(StorageError) in try inner.files(of: id) }
  }
}

/// A file of a failing disk.
private final class FaultyFile: SessionFile {
  private let inner: any SessionFile
  private let disk: FaultyDisk

  init(_ inner: any SessionFile, _ disk: FaultyDisk) {
    self.inner = inner
    self.disk = disk
  }

  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date) {
    try disk.call(.readLog) { () throws(StorageError) in try inner.information() }
  }

  func read(
    into bytes: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int {
    try disk.call(.readLog) { () throws(StorageError) in
      try inner.read(into: &bytes, at: position, count: count, from: offset)
    }
  }

  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError) {
    let copy = Array(bytes)
    let half = { () throws(StorageError) in
      try self.inner.write(copy.span.extracting(first: copy.count / 2), at: offset)
    }
    try disk.call(.writeLog, half: half) { () throws(StorageError) in
      try inner.write(copy.span, at: offset)
    }
  }

  func truncate(to length: Int) throws(StorageError) {
    try disk.call(.cutLog) { () throws(StorageError) in try inner.truncate(to: length) }
  }

  func sync() throws(StorageError) {
    try disk.call(.sync) { () throws(StorageError) in try inner.sync() }
  }

  func unlock() { inner.unlock() }

  func lock() throws(StorageError) {
    try disk.call(.lockLog) { () throws(StorageError) in try inner.lock() }
  }
}
