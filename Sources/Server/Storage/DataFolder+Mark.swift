internal import CLinux
internal import Platform

/// The mark of a clean stop: the file `clean`. In a folder with the mark, every session is stored completely. The mark contains
/// the inodes and the birth times of the folder and of the file `clean`. So the mark is not valid in a copy, or in a folder into
/// which a backup was restored. The inodes alone would not be enough, because inode numbers are soon reused.
extension DataFolder {
  static let markFile = "clean"

  /// Removes the mark of a clean stop. The removal is on the disk when this function returns. Called once at the start, before
  /// the first request is answered.
  /// - Returns: the generation of the last process, or a new generation if that process did not stop cleanly. A generation is a
  ///   random text. Processes share a generation if each of them was started after a clean stop of the previous one.
  /// - Throws: `StorageError` if the mark cannot be removed. The process must then stop: if it continued and crashed, the mark
  ///   would wrongly report a clean stop.
  package func takeMark() throws(StorageError) -> String {
    let found = try root.information(of: Self.markFile, for: .mark)
    var generation: String?
    if let found, found.is_regular != 0, let text = try root.text(of: Self.markFile, for: .mark) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.count == 3, lines[2] == "", lines[1] == (try place(of: found)), Self.isGeneration(lines[0]) {
        generation = lines[0]
      }
    }
    if found != nil {
      try root.removeTree(Self.markFile, for: .mark)
      try root.sync(for: .mark)
    }
    return generation ?? Self.newGeneration()
  }

  /// Creates the mark of a clean stop. The mark is on the disk when this function returns. Called last, when all other files are
  /// on the disk.
  /// - Parameter generation: the result of `takeMark`.
  /// - Throws: `StorageError`; the mark may then be missing.
  package func leaveMark(_ generation: String) throws(StorageError) {
    precondition(Self.isGeneration(generation), "the generation must be a result of takeMark")
    let temporary = Self.markFile + ".new"
    try root.removeTree(temporary, for: .mark)
    let file = try root.createFile(temporary, for: .mark)
    var information = clinux_file_information()
    try StorageError.check(.mark, unsafe clinux_information(file.rawValue, &information))
    let text = Array("\(generation)\n\(try place(of: information))\n".utf8)
    try StorageError.check(.mark, unsafe clinux_file_write(file.rawValue, text, text.count, 0))
    try StorageError.check(.mark, clinux_file_sync(file.rawValue))
    try root.rename(temporary, to: Self.markFile, in: root, for: .mark)
    try root.sync(for: .mark)
  }

  /// Returns the folder's inode and birth time; a copy of the folder has different ones. The device number is not included,
  /// because it may change when the machine restarts.
  package func identity() -> String {
    do throws(StorageError) {
      let own = try root.information(for: .mark)
      return "\(own.inode) \(own.born)"
    } catch {
      // If the inode and the birth time cannot be read, the result is a random text, so that it differs from every identity that
      // a log contains.
      return Self.newGeneration()
    }
  }

  /// Returns the device, inode and birth time of the folder, and the inode and birth time of the mark.
  private func place(of mark: clinux_file_information) throws(StorageError) -> String {
    let own = try root.information(for: .mark)
    return "\(own.device) \(own.inode) \(own.born) \(mark.inode) \(mark.born)"
  }

  /// Returns 128 random bits as 32 hexadecimal digits.
  private static func newGeneration() -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = SecureRandom.bytes(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isGeneration(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
