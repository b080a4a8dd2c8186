import FoundationEssentials
import Glibc
import SessionCore
import Storage
import Platform
import Wire
import TestSupport

/// A disk that fails or hangs in the calls that a test selects. Reading a log always works.
final class TroubledDisk: Sendable {
  /// A call that changes files, or lists the sessions.
  struct Call: Sendable {
    enum Kind {
      case make, write, cut, sync, replace, rename, remove, list
    }

    let kind: Kind
    /// The session of the call; nil for a call that concerns all sessions.
    let session: SessionID?
    /// The kinds of the records that the call writes.
    var kinds: Set<SessionRecord.Kind> = []
  }

  private enum Fault {
    case fails(CInt)
    case hangs
  }

  private struct State {
    var fault: Fault?
    var concerns: @Sendable (Call) -> Bool = { _ in false }
    /// A number that increases with each change of the fault.
    var turn = 0
    /// The number of calls that were affected by the present fault.
    var met = 0
  }

  private let state = Guarded(State())

  /// Lets every call for which `concerns` returns true fail with `code`, until the next change of the fault. Calls that are
  /// hanging fail immediately.
  func fail(with code: CInt, _ concerns: @escaping @Sendable (Call) -> Bool = { _ in true }) {
    change(to: .fails(code), concerns)
  }

  /// Lets every call for which `concerns` returns true hang, until the next change of the fault.
  func hang(_ concerns: @escaping @Sendable (Call) -> Bool = { _ in true }) {
    change(to: .hangs, concerns)
  }

  /// Ends the fault.
  func mend() {
    change(to: nil) { _ in false }
  }

  /// The number of calls that were affected by the present fault.
  var met: Int { state.withLock { $0.met } }

  /// Waits until the present fault has affected a call.
  func waitUntilMet() throws {
    let deadline = TestTimeout.deadline
    while met == 0 {
      guard .now() < deadline else { throw ClientError.outOfPatience(waitingFor: "a call of the disk") }
      sched_yield()
    }
  }

  /// Returns a disk that passes the calls to `disk`. Calls to which the present fault applies fail or hang instead.
  func over(_ disk: FolderDisk) -> any SessionDisk { Disk(disk: disk, trouble: self) }

  private func change(to fault: Fault?, _ concerns: @escaping @Sendable (Call) -> Bool) {
    state.withLock { state in
      state = State(fault: fault, concerns: concerns, turn: state.turn + 1)
    }
  }

  /// Waits while the call must hang, and throws if the call must fail. Runs `before` just before it throws. A write passes a
  /// `before` that writes half of its bytes.
  fileprivate func meet(_ call: Call, before: () throws(StorageError) -> Void = {}) throws(StorageError) {
    var wait: Int?
    while true {
      let (fault, turn) = state.withLock { state -> (Fault?, Int) in
        guard state.fault != nil, state.concerns(call) else { return (nil, state.turn) }
        if wait != state.turn { state.met += 1 }
        return (state.fault, state.turn)
      }
      switch fault {
      case nil: return
      case .fails(let code):
        try before()
        throw StorageError(.writeLog, code: code)
      case .hangs:
        wait = turn
        sched_yield()
      }
    }
  }
}

private struct Disk: SessionDisk {
  let disk: FolderDisk
  let trouble: TroubledDisk

  private func meet(_ kind: TroubledDisk.Call.Kind, _ id: SessionID?) throws(StorageError) {
    try trouble.meet(TroubledDisk.Call(kind: kind, session: id))
  }

  private func wrap(_ file: any SessionFile, of id: SessionID) -> any SessionFile {
    File(file, of: id, trouble)
  }

  func makeSession(_ id: SessionID) throws(StorageError) -> any SessionFile {
    try meet(.make, id)
    return wrap(try disk.makeSession(id), of: id)
  }

  func placeSession(_ id: SessionID) throws(StorageError) {
    try meet(.make, id)
    try disk.placeSession(id)
  }

  func discardMadeSession(_ id: SessionID) throws(StorageError) {
    try meet(.remove, id)
    try disk.discardMadeSession(id)
  }

  func syncMadeSession(_ id: SessionID) throws(StorageError) {
    try meet(.sync, id)
    try disk.syncMadeSession(id)
  }

  func moveSessionAway(_ id: SessionID) throws(StorageError) -> Bool {
    try meet(.remove, id)
    return try disk.moveSessionAway(id)
  }

  func removeMovedSession(_ id: SessionID) throws(StorageError) {
    try meet(.remove, id)
    try disk.removeMovedSession(id)
  }

  func createFile(_ name: LogName, of id: SessionID) throws(StorageError) -> any SessionFile {
    try meet(.make, id)
    return wrap(try disk.createFile(name, of: id), of: id)
  }

  func openFile(
    _ name: LogName, of id: SessionID, toWrite isWriting: Bool
  ) throws(StorageError) -> any SessionFile {
    wrap(try disk.openFile(name, of: id, toWrite: isWriting), of: id)
  }

  func replaceLog(of id: SessionID) throws(StorageError) {
    try meet(.replace, id)
    try disk.replaceLog(of: id)
  }

  func rename(_ name: LogName, to new: LogName, of id: SessionID) throws(StorageError) {
    try meet(.rename, id)
    try disk.rename(name, to: new, of: id)
  }

  func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    try disk.historyPieces(of: id)
  }

  func removeFile(_ name: LogName, of id: SessionID) throws(StorageError) {
    try meet(.remove, id)
    try disk.removeFile(name, of: id)
  }

  func syncNames(of id: SessionID) throws(StorageError) {
    try meet(.sync, id)
    try disk.syncNames(of: id)
  }

  func syncSessions() throws(StorageError) {
    try meet(.sync, nil)
    try disk.syncSessions()
  }

  func syncAll() throws(StorageError) {
    try meet(.sync, nil)
    try disk.syncAll()
  }

  func recordCleanStop(_ generation: String) throws(StorageError) {
    try disk.recordCleanStop(generation)
  }

  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool { try disk.holdsSession(id) }

  func sessions() throws(StorageError) -> [SessionID] {
    try meet(.list, nil)
    return try disk.sessions()
  }

  func files(of id: SessionID) throws(StorageError) -> [StoredFile] { try disk.files(of: id) }
}

private final class File: SessionFile {
  private let file: any SessionFile
  private let session: SessionID
  private let trouble: TroubledDisk

  init(_ file: any SessionFile, of session: SessionID, _ trouble: TroubledDisk) {
    self.file = file
    self.session = session
    self.trouble = trouble
  }

  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date) {
    try file.information()
  }

  func read(
    into bytes: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int {
    try file.read(into: &bytes, at: position, count: count, from: offset)
  }

  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError) {
    let call = TroubledDisk.Call(kind: .write, session: session, kinds: Self.kinds(in: bytes))
    try trouble.meet(call) { () throws(StorageError) in
      try file.write(bytes.extracting(first: bytes.count / 2), at: offset)
    }
    try file.write(bytes, at: offset)
  }

  func truncate(to length: Int) throws(StorageError) {
    try trouble.meet(TroubledDisk.Call(kind: .cut, session: session))
    try file.truncate(to: length)
  }

  func sync() throws(StorageError) {
    try trouble.meet(TroubledDisk.Call(kind: .sync, session: session))
    try file.sync()
  }

  func lock() throws(StorageError) { try file.lock() }
  func unlock() { file.unlock() }

  /// Returns the kinds of the records in framed bytes. A frame has the length of the record, a checksum, and the length
  /// again; the first byte of a record is its kind.
  private static func kinds(in bytes: Span<UInt8>) -> Set<SessionRecord.Kind> {
    var kinds: Set<SessionRecord.Kind> = []
    var start = 0
    while start + 9 <= bytes.count {
      let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
      if let kind = SessionRecord.Kind(rawValue: bytes[start + 8]) { kinds.insert(kind) }
      start += 12 + length
    }
    return kinds
  }
}
