internal import FoundationEssentials
internal import Glibc
internal import HTTP
internal import Platform

extension StaticFiles {
  /// The maximum size of all files together, before compression.
  package static let maximumLength = 64 << 20
  /// The maximum number of files.
  package static let maximumCount = 10_000
  /// The maximum depth of nested folders. This limit also stops the recursion if symbolic links form a cycle.
  private static let maximumDepth = 16

  /// Reads a folder and its subfolders. Skips names that begin with a dot, and symbolic links that lead out of the folder.
  /// Follows other symbolic links. Skips the manifest of a release, and sends its files with the fields that follow from it.
  /// `library` is the folder of pdf.js, which the page needs to show PDF files, or nil for none. It is not used if the folder
  /// contains a release, because a release has its own copy of pdf.js.
  package static func load(
    directory: String, library: String? = nil, maximumLength: Int = maximumLength
  ) throws(GatewayError) -> StaticFiles {
    var loader = try Loader(directory, room: maximumLength)
    try loader.load()
    var files = loader.files
    if let library, !loader.isRelease { files = Loader.filesOfLibrary(library) + files }
    return StaticFiles(files)
  }

  /// The folder of Debian's package `libjs-pdf`. It contains symbolic links to `/usr/share/pdf.js`.
  package static let installedLibrary = "/usr/share/javascript/pdf"

  /// Checks that a folder can be loaded, without reading the contents of its files.
  ///
  /// - Throws: the error that `load` would throw.
  package static func check(
    directory: String, maximumLength: Int = maximumLength
  ) throws(GatewayError) {
    var loader = try Loader(directory, room: maximumLength)
    loader.isOnlyChecking = true
    try loader.load()
  }

  private struct Loader {
    let directory: String
    /// The path of the folder, with all symbolic links resolved.
    let root: String
    var room: Int
    let limit: Int
    var files: [(path: String, file: StaticFile)] = []
    /// True if the files are counted and checked, but not read.
    var isOnlyChecking = false
    private var count = 0
    private var hasIndex = false
    /// The manifest of the release; nil if no release was built into the folder.
    private var manifest: ReleaseManifest?

    init(_ directory: String, root: String? = nil, room: Int) throws(GatewayError) {
      guard let root = root ?? Self.realPath(of: directory) else {
        throw .unreadableFile(path: directory, SystemError("open", code: errno))
      }
      self.directory = directory
      self.root = root
      self.room = room
      limit = room
    }

    /// True if a release was built into the folder.
    var isRelease: Bool { manifest != nil }

    /// Returns the scripts, character maps and fonts of pdf.js with paths below `pdf/`; no files if pdf.js is not installed or not
    /// readable.
    static func filesOfLibrary(_ library: String) -> [(path: String, file: StaticFile)] {
      // Symbolic links may lead out of the library's folder, but not out of the folder two levels above (`/usr/share`).
      guard let above = realPath(of: library + "/../.."),
        var loader = try? Loader(library, root: above, room: maximumLength)
      else { return [] }
      do {
        for name in ["pdf.js", "pdf.worker.js"] {
          let path = library + "/build/" + name
          guard let information = loader.status(of: path) else { return [] }
          try loader.add(path, name: name, prefix: "pdf/build/", information)
        }
        for folder in ["web/cmaps", "web/standard_fonts"] {
          try loader.load(library + "/" + folder, prefix: "pdf/" + folder + "/", depth: 0)
        }
      } catch {
        return []
      }
      return loader.files
    }

    /// Loads the whole folder.
    mutating func load() throws(GatewayError) {
      manifest = try readManifest()
      try load(directory, prefix: "", depth: 0)
      guard hasIndex else { throw .noIndex(directory: directory) }
    }

    private func readManifest() throws(GatewayError) -> ReleaseManifest? {
      let path = directory + "/" + ReleaseManifest.path
      guard let information = status(of: path), information.st_mode & S_IFMT == S_IFREG, isInside(path)
      else { return nil }
      let bytes = try contents(of: path, atMost: room)
      do {
        return try ReleaseManifest(parsing: bytes)
      } catch {
        throw .invalidInlineHashes(path: path)
      }
    }

    /// Loads one folder. The paths of its files begin with `prefix`.
    private mutating func load(_ folder: String, prefix: String, depth: Int) throws(GatewayError) {
      guard depth <= maximumDepth else { throw .tooManyFiles(directory: directory, limit: maximumCount) }
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
    ) throws(GatewayError) {
      let pathInside = prefix + name
      if manifest != nil, pathInside == ReleaseManifest.path { return }
      guard count < maximumCount else { throw .tooManyFiles(directory: directory, limit: maximumCount) }
      guard information.st_size <= room else { throw .filesTooLarge(directory: directory, limit: limit) }
      count += 1
      hasIndex = hasIndex || pathInside == "index.html"
      guard !isOnlyChecking else {
        guard unsafe access(path, R_OK) == 0 else {
          throw .unreadableFile(path: path, SystemError("open", code: errno))
        }
        room -= Int(information.st_size)
        return
      }
      let bytes = try contents(of: path, atMost: room)
      room -= bytes.count
      let modified = HTTPDate(secondsSinceEpoch: information.st_mtim.tv_sec)
      guard
        let file = StaticFile(
          name: name, bytes: bytes, modified: modified,
          caching: manifest?.caching(of: pathInside) ?? .revalidated,
          contentSecurityPolicy: manifest?.contentSecurityPolicy(for: pathInside))
      else {
        throw .outOfMemory(path: path)
      }
      files.append((pathInside, file))
    }

    private func names(in folder: String) throws(GatewayError) -> [String] {
      // The folder is opened here only to get the system's error code if the folder cannot be opened.
      let number = unsafe open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
      guard number >= 0 else { throw .unreadableFile(path: folder, SystemError("open", code: errno)) }
      close(number)
      do {
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      } catch {
        throw .unreadableFile(path: folder, SystemError("readdir", code: EIO))
      }
    }

    /// Returns true if a path, after its symbolic links are resolved, is inside the folder.
    private func isInside(_ path: String) -> Bool {
      guard let real = Self.realPath(of: path) else { return false }
      return real == root || real.hasPrefix(root == "/" ? root : root + "/")
    }

    /// Returns a path with all symbolic links resolved. If this fails, returns nil, and `errno` has the error code.
    static func realPath(of path: String) -> String? {
      guard let real = unsafe realpath(path, nil) else { return nil }
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }

    /// Returns the file status of a path, after its symbolic links are resolved; nil if there is no file.
    private func status(of path: String) -> stat? {
      var information = stat()
      return unsafe stat(path, &information) == 0 ? information : nil
    }

    private func contents(of path: String, atMost limit: Int) throws(GatewayError) -> [UInt8] {
      let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard number >= 0 else { throw .unreadableFile(path: path, SystemError("open", code: errno)) }
      let descriptor = OwnedDescriptor(owning: number)
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = unsafe piece.withUnsafeMutableBytes { buffer in
          unsafe read(descriptor.rawValue, buffer.baseAddress, buffer.count)
        }
        if count == 0 { return bytes }
        if count < 0 {
          guard errno == EINTR else { throw .unreadableFile(path: path, SystemError("read", code: errno)) }
          continue
        }
        // The file may have grown after its length was read.
        guard bytes.count + count <= limit else {
          throw .filesTooLarge(directory: directory, limit: self.limit)
        }
        bytes.append(contentsOf: piece[..<count])
      }
    }
  }
}
