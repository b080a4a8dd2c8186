import Storage
import Testing
import Platform
import Wire
import TestSupport

/// The disks on which every rule of a store is tested.
enum Backend: CaseIterable, Sendable {
  case folder
  case memory

  /// Creates an empty disk.
  func make() throws -> Bench {
    switch self {
    case .folder:
      let folder = TemporaryFolder()
      return Bench(disk: FolderDisk(try DataFolder(opening: folder.path)), folder: folder)
    case .memory:
      return Bench(disk: MemoryDisk(), folder: nil)
    }
  }
}

/// A disk, and the folder that the disk uses, if any.
struct Bench {
  let disk: any SessionDisk
  let folder: TemporaryFolder?

  /// Creates a session whose log has these bytes.
  func place(_ bytes: [UInt8], as id: SessionID = .one) throws {
    try disk.makeSession(id).write(bytes.span, at: 0)
    try disk.placeSession(id)
  }

  /// Returns all bytes of a session's file; nil if there is none.
  func bytes(_ name: LogName = .current, of id: SessionID = .one) throws -> [UInt8]? {
    let file: any SessionFile
    do throws(StorageError) {
      file = try disk.openFile(name, of: id, toWrite: false)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: try file.information().length)
    let count = try file.read(into: &bytes, at: 0, count: bytes.count, from: 0)
    #expect(count == bytes.count)
    return bytes
  }
}
