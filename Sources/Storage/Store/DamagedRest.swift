internal import Glibc
internal import Wire

/// What is behind the damage in a log: kept for whoever can make something of it, for it may be much.
enum DamagedRest {
  /// How many of one session are kept; the last one is then written anew.
  static let most = 16

  /// Copies a part of a log to a file beside it.
  static func keep(
    from start: Int, to end: Int, of log: any SessionFile, _ id: SessionID, _ disk: any SessionDisk,
    syncs: Bool
  ) throws(StorageError) {
    let (name, file) = try make(id, disk)
    do throws(StorageError) {
      var bytes = [UInt8](repeating: 0, count: min(LogReader.chunk, end - start))
      var position = start
      while position < end {
        let wanted = min(bytes.count, end - position)
        let count = try log.read(into: &bytes, at: 0, count: wanted, from: position)
        guard count > 0 else { throw StorageError.shorter }
        try file.write(bytes.span.extracting(first: count), at: position - start)
        position += count
      }
      if syncs { try file.sync() }
    } catch {
      // What went wrong first is what is told.
      try? disk.removeFile(name, of: id)
      throw error
    }
  }

  private static func make(
    _ id: SessionID, _ disk: any SessionDisk
  ) throws(StorageError) -> (LogName, any SessionFile) {
    for number in 1..<most {
      do throws(StorageError) {
        return (.damaged(number), try disk.createFile(.damaged(number), of: id))
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    try disk.removeFile(.damaged(most), of: id)
    return (.damaged(most), try disk.createFile(.damaged(most), of: id))
  }
}
