internal import Glibc
internal import Wire

/// The bytes that a damaged log lost, one range behind the other: kept, for somebody may be able to read more of them.
enum DamagedRest {
  /// How many of one session are kept; the last one is then written anew.
  static let most = 16

  /// Copies parts of a log to a file beside it.
  static func keep(
    _ ranges: [Range<Int>], of log: any SessionFile, _ id: SessionID, _ disk: any SessionDisk, syncs: Bool,
    as name: (Int) -> LogName = LogName.damaged
  ) throws(StorageError) {
    let (name, file) = try make(id, disk, name)
    do throws(StorageError) {
      var written = 0
      for range in ranges {
        var bytes = [UInt8](repeating: 0, count: min(LogReader.chunk, range.count))
        var position = range.lowerBound
        while position < range.upperBound {
          let wanted = min(bytes.count, range.upperBound - position)
          let count = try log.read(into: &bytes, at: 0, count: wanted, from: position)
          guard count > 0 else { throw StorageError.shorter }
          try file.write(bytes.span.extracting(first: count), at: written)
          position += count
          written += count
        }
      }
      if syncs { try file.sync() }
    } catch {
      // What went wrong first is what is told.
      try? disk.removeFile(name, of: id)
      throw error
    }
  }

  private static func make(
    _ id: SessionID, _ disk: any SessionDisk, _ name: (Int) -> LogName
  ) throws(StorageError) -> (LogName, any SessionFile) {
    for number in 1..<most {
      do throws(StorageError) {
        return (name(number), try disk.createFile(name(number), of: id))
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    try disk.removeFile(name(most), of: id)
    return (name(most), try disk.createFile(name(most), of: id))
  }
}
