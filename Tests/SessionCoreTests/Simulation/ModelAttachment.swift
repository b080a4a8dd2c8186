import FoundationEssentials
import Primitives
import SessionCore
import Wire

/// The attachment for which a file in `uploads` was created.
struct UploadedFile {
  let key: EntryKey
  /// The sequence of the entry that first announced the attachment.
  let addedAt: UInt64
  let isResumable: Bool
  let uploadMetadata: String?
  var digest: String?
}

/// The expected state of an attachment in all clients.
struct ModelAttachment {
  enum Phase {
    case uploading
    case stored
    case ready
  }

  let key: EntryKey
  let participant: ParticipantNumber?
  /// The file to which the bytes of the attachment are written.
  var file = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var size: Int?
  var offset = 0
  /// The offset in the last entry that announced the attachment.
  var announced = 0
  var phase = Phase.uploading
  var digest: String?
  /// The offset that members got last in an entry or a progress message, and the time of the last progress message.
  var told = 0
  var toldAt: MonotonicTime?
  /// True when the upload of the attachment was paused at the end of a simulation.
  var isPaused = false

  /// Returns the attachment object of PROTOCOL 4 as JSON, independently of the code under test.
  func payload(session: SessionID) -> [UInt8] {
    func orNull(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "null" }
    let id = key.uuid.uuidString
    let sha256 = phase == .ready ? digest.map { #""\#($0)""# } : nil
    return Array(
      (#"{"id":"\#(id)","name":"n","contentType":"image/png","size":\#(orNull(size)),"#
        + #""sha256":\#(orNull(sha256)),"metadata":{"location":[1,-2.5]},"participant":\#(orNull(participant)),"#
        + #""state":"\#(phase == .ready ? "ready" : "uploading")","offset":\#(offset),"#
        + #""createdAt":"1970-01-01T00:00:00Z","#
        + #""url":"/api/sessions/\#(session.text)/attachments/\#(id)"}"#).utf8)
  }
}
