import CLinux
import FoundationEssentials
import Glibc
import Storage
import Wire
import TestSupport

/// A data folder with a session, and the paths of its files.
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

  /// The path of the session's folder, relative to the temporary folder.
  var folder: String { "data/sessions/\(id.text)" }

  /// Uploads a text in one piece and stores it as content.
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
  /// Returns all bytes of the content.
  func whole() throws -> [UInt8] {
    try read(at: 0, count: Int(length))
  }
}

/// The SHA-256 of an empty text, of "abc" and of "abcdbcde…nopq", from the examples of FIPS 180-4.
enum Digests {
  static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  static let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  static let longText = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
}
