package import Wire

/// An upload that the gateway has taken on. It goes on by itself, whether or not anybody refers to it.
package final class Upload: Sendable {
  /// As the gateway described it when it took it on.
  package let attachment: AttachmentObject
  private let outcome = Outcome<Void>()
  private let run: UploadRun
  private let task: Task<Void, Never>

  init(_ attachment: AttachmentObject, _ run: UploadRun) {
    self.attachment = attachment
    self.run = run
    task = Task { [outcome] in
      do throws(RequestFailure) {
        if attachment.state != .ready { try await run.send(from: attachment.offset) }
        outcome.settle(.success(()))
      } catch {
        outcome.settle(.failure(error))
      }
    }
  }

  /// Waits until all of it is there. Whose task is cancelled waits no longer; the upload goes on.
  ///
  /// - Throws: why it came to nothing, `cancelled` after `cancel`.
  package func finish() async throws(RequestFailure) {
    try await outcome.value()
  }

  /// Gives it up; what came of it is removed, in the background. An upload that is at its end stays.
  package func cancel() {
    guard outcome.settle(.failure(.cancelled)) else { return }
    task.cancel()
    Task { [run] in await run.remove() }
  }
}
