internal import FoundationEssentials
internal import Glibc
internal import HTTP
package import Platform

/// Why the files of the page could not be read.
package enum StaticFilesError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A directory or a file that cannot be opened or read.
  case unreadable(path: String, SystemError)
  /// There is no `index.html`, so it is not the folder of a page.
  case noIndex(directory: String)
  /// More bytes than are kept in memory.
  case tooLarge(directory: String, limit: Int)
  /// More files, or folders in folders, than a page has.
  case tooMany(directory: String, limit: Int)
  /// There is no memory to compress a file.
  case outOfMemory(path: String)

  package var description: String {
    switch self {
    case .unreadable(let path, let error): "\(path) cannot be read (\(error))"
    case .noIndex(let directory): "\(directory) has no index.html, so it is not the folder of a page"
    case .tooLarge(let directory, let limit):
      "\(directory) holds more than \(limit >> 20)M bytes, which are kept in memory"
    case .tooMany(let directory, let limit):
      "\(directory) holds more than \(limit) files, or folders too deep"
    case .outOfMemory(let path): "there is no memory to compress \(path)"
    }
  }
}

extension StaticFiles {
  /// The most bytes of all files together, before compression.
  package static let maximumLength = 64 << 20
  /// The most files.
  package static let maximumCount = 10_000
  /// How many folders may lie within each other: this ends a circle of links.
  private static let maximumDepth = 16

  /// Reads a folder and those in it. Names that begin with a dot are left out, and so is what a link leads to outside
  /// the folder; inside it links are followed.
  package static func load(
    directory: String, maximumLength: Int = maximumLength
  ) throws(StaticFilesError) -> StaticFiles {
    var loader = try Loader(directory, room: maximumLength)
    try loader.load()
    return StaticFiles(loader.files)
  }

  /// Looks whether a folder could be loaded, and reads no file.
  ///
  /// - Throws: what `load` would throw.
  package static func check(
    directory: String, maximumLength: Int = maximumLength
  ) throws(StaticFilesError) {
    var loader = try Loader(directory, room: maximumLength)
    loader.isOnlyLooking = true
    try loader.load()
  }

  private struct Loader {
    let directory: String
    /// The folder itself, without links in its path.
    let root: String
    var room: Int
    let limit: Int
    var files: [(path: String, file: StaticFile)] = []
    /// Whether files are counted, and not read.
    var isOnlyLooking = false
    private var count = 0
    private var hasIndex = false

    init(_ directory: String, room: Int) throws(StaticFilesError) {
      guard let root = Self.realPath(of: directory) else {
        throw .unreadable(path: directory, SystemError("open", code: errno))
      }
      self.directory = directory
      self.root = root
      self.room = room
      limit = room
    }

    /// Takes in the whole folder.
    mutating func load() throws(StaticFilesError) {
      try load(directory, prefix: "", depth: 0)
      guard hasIndex else { throw .noIndex(directory: directory) }
    }

    /// Takes in one folder; `prefix` is how its files' paths begin.
    private mutating func load(_ folder: String, prefix: String, depth: Int) throws(StaticFilesError) {
      guard depth <= maximumDepth else { throw .tooMany(directory: directory, limit: maximumCount) }
      for name in try names(in: folder) where !name.hasPrefix(".") {
        let path = folder + "/" + name
        guard let information = status(of: path), isInside(path) else { continue }
        switch information.st_mode & S_IFMT {
        case S_IFDIR:
          try load(path, prefix: prefix + name + "/", depth: depth + 1)
        case S_IFREG:
          try add(path, name: name, prefix: prefix, information)
        default:
          continue
        }
      }
    }

    private mutating func add(
      _ path: String, name: String, prefix: String, _ information: stat
    ) throws(StaticFilesError) {
      guard count < maximumCount else { throw .tooMany(directory: directory, limit: maximumCount) }
      guard information.st_size <= room else { throw .tooLarge(directory: directory, limit: limit) }
      count += 1
      hasIndex = hasIndex || prefix + name == "index.html"
      guard !isOnlyLooking else {
        guard unsafe access(path, R_OK) == 0 else {
          throw .unreadable(path: path, SystemError("open", code: errno))
        }
        room -= Int(information.st_size)
        return
      }
      let bytes = try contents(of: path, atMost: room)
      room -= bytes.count
      let modified = HTTPDate(secondsSinceEpoch: information.st_mtim.tv_sec)
      do throws(Gzip.Failure) {
        files.append((prefix + name, try StaticFile(name: name, bytes: bytes, modified: modified)))
      } catch {
        throw .outOfMemory(path: path)
      }
    }

    private func names(in folder: String) throws(StaticFilesError) -> [String] {
      // Opened first, for the system's own word on why that fails.
      let number = unsafe open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
      guard number >= 0 else { throw .unreadable(path: folder, SystemError("open", code: errno)) }
      close(number)
      do {
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      } catch {
        throw .unreadable(path: folder, SystemError("readdir", code: EIO))
      }
    }

    /// Whether a path leads to something in the folder, whatever links are in it.
    private func isInside(_ path: String) -> Bool {
      guard let real = Self.realPath(of: path) else { return false }
      return real == root || real.hasPrefix(root == "/" ? root : root + "/")
    }

    /// The path without links; `nil`, and an `errno`, when it leads nowhere.
    static func realPath(of path: String) -> String? {
      guard let real = unsafe realpath(path, nil) else { return nil }
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }

    /// What a link leads to; `nil` when that is nothing.
    private func status(of path: String) -> stat? {
      var information = stat()
      return unsafe stat(path, &information) == 0 ? information : nil
    }

    private func contents(of path: String, atMost limit: Int) throws(StaticFilesError) -> [UInt8] {
      let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard number >= 0 else { throw .unreadable(path: path, SystemError("open", code: errno)) }
      let descriptor = OwnedDescriptor(owning: number)
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = unsafe piece.withUnsafeMutableBytes { buffer in
          unsafe read(descriptor.rawValue, buffer.baseAddress, buffer.count)
        }
        if count == 0 { return bytes }
        if count < 0 {
          guard errno == EINTR else { throw .unreadable(path: path, SystemError("read", code: errno)) }
          continue
        }
        // The file may have grown since its length was read.
        guard bytes.count + count <= limit else { throw .tooLarge(directory: directory, limit: self.limit) }
        bytes.append(contentsOf: piece[..<count])
      }
    }
  }
}
