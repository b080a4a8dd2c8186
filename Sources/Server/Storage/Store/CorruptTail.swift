internal import Glibc
internal import Wire

/// The files beside a damaged log that contain the log's lost bytes, one range after another, so that a person can recover them.
enum CorruptTail {
  /// The maximum number of `damaged` files beside one log, and also of `accepted` files. When it is reached, further bytes are
  /// appended to the last file.
  static let most = 16

  /// Copies parts of a log to a file next to the log, and syncs that file.
  static func keep(
    _ ranges: [Range<Int>], of log: any SessionFile, _ id: SessionID, _ disk: any SessionDisk,
    as name: (Int) -> LogName = LogName.damaged
  ) throws(StorageError) {
    let (name, file) = try open(id, disk, name)
    let begin = try file.information().length
    do throws(StorageError) {
      var written = begin
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
      try file.sync()
    } catch {
      // If this cleanup fails too, only the first error is reported.
      if begin == 0 { try? disk.removeFile(name, of: id) } else { try? file.truncate(to: begin) }
      throw error
    }
  }

  private static func open(
    _ id: SessionID, _ disk: any SessionDisk, _ name: (Int) -> LogName
  ) throws(StorageError) -> (LogName, any SessionFile) {
    for number in 1...most {
      do throws(StorageError) {
        return (name(number), try disk.createFile(name(number), of: id))
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    return (name(most), try disk.openFile(name(most), of: id, toWrite: true))
  }
}
