internal import FoundationEssentials
internal import Wire

extension UploadService {
  /// The values and components that the upload services of all reactors share.
  struct Environment: Sendable {
    let limits: Limits
    let table: UploadTable
    let verdicts: ContentVerdicts
    let files: SessionFiles
    let log: Log
    /// The maximum length of a body that is read and discarded before the refusal of its upload is sent. If the body is longer,
    /// the refusal is sent immediately.
    let droppedBodyBytes: Int
    /// Creates the actor for the upload file with this name, in the folder of this session.
    let makeFile: @Sendable (UUID, SessionID) -> UploadFileActor
  }
}
