internal import Storage
internal import Wire

/// The content of a disk in memory: names and files as processes see them, and the part of them that is synced and
/// survives a power cut.
struct DiskImage: Sendable {
  /// The folder that contains the folder of a session.
  enum Place: Hashable, Sendable, CaseIterable {
    case made
    case kept
    case aside
  }

  /// A change of the names of folders or files. A power cut keeps the first pending changes, up to a random number of them, and
  /// loses the others.
  enum NameChange: Sendable {
    case make(SessionID)
    case move(Place, Place, SessionID)
    case remove(Place, SessionID)
    case addFile(LogName, Int, Place, SessionID)
    case removeFile(LogName, SessionID)
    case replaceLog(SessionID)
    case rename(LogName, LogName, SessionID)

    var session: SessionID {
      switch self {
      case .make(let id), .move(_, _, let id), .remove(_, let id), .addFile(_, _, _, let id),
        .removeFile(_, let id), .replaceLog(let id), .rename(_, _, let id):
        id
      }
    }

    var movesSession: Bool {
      if case .move = self { true } else { false }
    }
  }

  /// The numbers of all files. The keys are the folder that contains the session, the session, and the name of the file.
  typealias Names = [Place: [SessionID: [LogName: Int]]]

  private(set) var names: Names = [:]
  var files: [Int: ImageFile] = [:]
  private var durableNames: Names = [:]
  private var pending: [NameChange] = []

  /// Applies a change of folder or file names. The change is visible immediately.
  mutating func change(_ change: NameChange) {
    Self.apply(change, to: &names)
    pending.append(change)
  }

  /// Creates an empty file.
  mutating func addFile(_ name: LogName, _ place: Place, _ id: SessionID) -> Int {
    let number = files.count
    files[number] = ImageFile()
    change(.addFile(name, number, place, id))
    return number
  }

  /// Makes the pending changes of folder and file names durable, up to the last change that fulfils the condition.
  mutating func commit(upToLast isWanted: (NameChange) -> Bool) {
    guard let last = pending.lastIndex(where: isWanted) else { return }
    commit(last + 1)
  }

  /// Applies a power cut.
  mutating func cutPower(using chance: inout some RandomNumberGenerator) {
    commit(Int.random(in: 0...pending.count, using: &chance))
    pending = []
    names = durableNames
    // The files are handled in a fixed order, so that the seed determines the result.
    for number in files.keys.sorted() { files[number]?.cutPower(using: &chance) }
  }

  private mutating func commit(_ count: Int) {
    for change in pending.prefix(count) { Self.apply(change, to: &durableNames) }
    pending.removeFirst(count)
  }

  private static func apply(_ change: NameChange, to names: inout Names) {
    switch change {
    case .make(let id): names[.made, default: [:]][id] = [:]
    case .move(let old, let new, let id): names[new, default: [:]][id] = names[old]?.removeValue(forKey: id)
    case .remove(let place, let id): names[place]?[id] = nil
    case .addFile(let name, let number, let place, let id): names[place]?[id]?[name] = number
    case .removeFile(let name, let id): names[.kept]?[id]?[name] = nil
    case .replaceLog(let id):
      let new = names[.kept]?[id]?.removeValue(forKey: .next)
      names[.kept]?[id]?[.current] = new
    case .rename(let old, let new, let id):
      let number = names[.kept]?[id]?.removeValue(forKey: old)
      names[.kept]?[id]?[new] = number
    }
  }
}

/// A file of a disk in memory.
struct ImageFile: Sendable {
  private enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case cut(Int)
  }

  /// The number of bytes that a disk writes atomically.
  private static let sector = 512

  /// The visible bytes.
  private(set) var bytes: [UInt8] = []
  /// The number of writes.
  private(set) var writes = 0
  var isLocked = false
  private var durable: [UInt8] = []
  private var pending: [Change] = []

  mutating func write(_ new: [UInt8], at offset: Int) {
    writes += 1
    Self.write(new[...], at: offset, to: &bytes)
    pending.append(.write(offset: offset, bytes: new))
  }

  mutating func truncate(to length: Int) {
    writes += 1
    Self.cut(&bytes, length)
    pending.append(.cut(length))
  }

  mutating func sync() {
    durable = bytes
    pending = []
  }

  mutating func cutPower(using chance: inout some RandomNumberGenerator) {
    for change in pending {
      switch (change, Int.random(in: 0..<3, using: &chance)) {
      case (_, 0): continue
      case (.cut(let length), _): Self.cut(&durable, length)
      case (.write(let offset, let bytes), 1): Self.write(bytes[...], at: offset, to: &durable)
      case (.write(let offset, let bytes), _):
        for start in stride(from: 0, to: bytes.count, by: Self.sector) where Bool.random(using: &chance) {
          Self.write(
            bytes[start..<min(start + Self.sector, bytes.count)], at: offset + start, to: &durable)
        }
      }
    }
    bytes = durable
    pending = []
    isLocked = false
  }

  private static func write(_ new: ArraySlice<UInt8>, at offset: Int, to bytes: inout [UInt8]) {
    let end = offset + new.count
    if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe new.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<end]).copyMemory(from: $0)
      }
    }
  }

  private static func cut(_ bytes: inout [UInt8], _ length: Int) {
    if length < bytes.count { bytes.removeLast(bytes.count - length) }
  }
}
