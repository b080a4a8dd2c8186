internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Wire

/// Compares each stored content of a session with the digest in its file name, and all files of the session with the session's
/// log.
///
/// A file without an attachment is not a fault: a crash may leave one, and the gateway removes it when it opens the session.
struct FileCheck {
  private static let chunk = 1 << 20

  private(set) var faults: [SessionCheck.Fault] = []
  /// The number of checked files.
  private(set) var count = 0

  private let folder: AttachmentFolder
  /// The lengths of complete contents by digest, and of uploads by file name.
  private var contents: [String: UInt64] = [:]
  private var uploads: [UUID: UInt64] = [:]

  /// Creates a check of the files in the folder of a session.
  init(in folder: AttachmentFolder) {
    self.folder = folder
  }

  /// Checks the files against the attachments from the log.
  mutating func check(_ files: [StoredFile], _ attachments: AttachmentSurvey) {
    count = files.count
    for file in files.sorted(by: { ($0.place.rawValue, $0.name) < ($1.place.rawValue, $1.name) }) {
      switch file.place {
      case .attachments:
        contents[file.name] = file.length
        check(content: file)
      case .uploads:
        if let name = UUID(uuidString: file.name) { uploads[name] = file.length }
      }
    }
    for object in attachments.objects.values.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
      check(object, attachments.upload(object.id))
    }
  }

  /// Compares the digest of a content file with its name.
  private mutating func check(content file: StoredFile) {
    do throws(StorageError) {
      let digest = try Self.digest(of: try folder.openContent(file.name))
      if digest != file.name {
        fault(file, "the file's name is not the SHA-256 of the file's content, which is \(digest)")
      }
    } catch {
      fault(file, "\(error)")
    }
  }

  private mutating func fault(_ file: StoredFile, _ words: String) {
    faults.append(.file("\(file.place.rawValue)/\(file.name)", words))
  }

  private mutating func check(_ object: AttachmentObject, _ upload: UploadRecord?) {
    switch object.state {
    case .ready:
      let digest = object.sha256 ?? ""
      check(object, content: digest, size: object.size ?? 0, file: nil)
    case .uploading:
      guard let content = upload?.content else {
        let arrived = upload.flatMap { uploads[$0.file] } ?? 0
        if arrived < object.offset {
          faults.append(
            .file(
              "uploads/\(upload?.file.uuidString ?? "?")",
              "the log says that \(object.offset) bytes of attachment \(object.id) were received, but the file has \(arrived) bytes"
            ))
        }
        return
      }
      check(object, content: content.digest, size: content.size, file: upload?.file)
    }
  }

  /// Looks for the content of an attachment in the file that is named after its digest. If `file` is not nil, the file may still
  /// have the name of its upload, so that name is tried too.
  private mutating func check(_ object: AttachmentObject, content digest: String, size: UInt64, file: UUID?) {
    let name = "attachments/\(digest)"
    if let length = contents[digest] {
      if length != size {
        faults.append(
          .file(name, "attachment \(object.id) has \(size) bytes, but the file has \(length) bytes"))
      }
    } else if let file, uploads[file] == size {
      do throws(StorageError) {
        let found = try Self.digest(of: try folder.openArrived(file))
        guard found != digest else { return }
        faults.append(
          .file(
            "uploads/\(file)",
            "attachment \(object.id) has the SHA-256 \(digest), but the file's SHA-256 is \(found)")
        )
      } catch {
        faults.append(.file("uploads/\(file)", "\(error)"))
      }
    } else {
      faults.append(.file(name, "attachment \(object.id) needs this file, which is missing"))
    }
  }

  /// Returns the SHA-256 of a file, read in chunks.
  private static func digest(of file: ContentFile) throws(StorageError) -> String {
    let digest = RunningDigest(.sha256)
    var offset: UInt64 = 0
    while offset < file.length {
      let piece = try file.read(at: offset, count: Int(min(UInt64(chunk), file.length - offset)))
      digest.update(piece.span)
      offset += UInt64(piece.count)
    }
    return SHA256Digest(finishing: digest).description
  }
}
