import CLinux
import FoundationEssentials
import Glibc
import Storage
import Wire

/// A folder of a test's own, removed with all in it.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/drawtogether-storage-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    precondition(unsafe made != nil, "a folder can be made in /tmp")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)  // Left over at worst.
  }

  /// What is in a folder below, sorted; nil when it is none.
  func names(in folder: String = "") -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()  // None is an answer.
  }

  /// What a file below holds; nil when there is none.
  func contents(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path + "/" + name).map { Array($0) }
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  /// Makes a link that leads to a path.
  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }

  /// The permission bits of what is below.
  func mode(of name: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path + "/" + name, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}

/// A data folder, a session in it, and where that one's files are.
struct OneSession {
  let temporary = TemporaryFolder()
  let data: DataFolder
  let id = SessionID(high: 0x0123_4567_89AB_CDEF, low: 0x1122_3344_5566_7788)
  let attachments: AttachmentFolder

  init() throws {
    data = try DataFolder(opening: temporary.path + "/data")
    attachments = data.attachments(of: id)
    try attachments.make()
  }

  /// The path of the session's folder, from the temporary one.
  var folder: String { "data/sessions/\(id.text)" }

  /// Uploads some text in one piece and puts it in its place.
  func place(_ text: String, syncs: Bool = false) throws -> String {
    let (id, bytes) = (UUID(), Array(text.utf8))
    let upload = try attachments.createUpload(id)
    try upload.append(bytes.span)
    let digest = try upload.finish(syncs: syncs)
    try attachments.place(id, as: digest, syncs: syncs)
    return digest
  }
}

extension ContentFile {
  /// All its bytes.
  func whole() throws -> [UInt8] {
    try read(at: 0, count: Int(length))
  }
}

/// The SHA-256 of no bytes, of "abc" and of "abcdbcde…nopq", by FIPS 180-4's examples.
enum Digests {
  static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  static let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  static let longText = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
}
