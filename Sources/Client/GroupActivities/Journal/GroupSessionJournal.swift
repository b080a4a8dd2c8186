import SessionClient
public import CoreTransferable
public import FoundationEssentials
import Platform
import Wire

/// The attachments of a session: files and other content that is too large for a message (Apple's class).
///
/// An attachment has at most 104,857,600 bytes and never changes. It stays until the session ends or a participant
/// removes it. A journal retains its session. All functions may be called on any thread.
public final class GroupSessionJournal: Sendable {
  let coordinator: SessionCoordinator
  private let retainer: SessionRetainer

  /// Creates the journal of a session.
  public convenience init<Activity: GroupActivity>(session: GroupSession<Activity>) {
    self.init(coordinator: session.coordinator, retainer: SessionRetainer(session))
  }

  private init(coordinator: SessionCoordinator, retainer: SessionRetainer) {
    self.coordinator = coordinator
    self.retainer = retainer
  }

  /// The attachments that can be loaded, including those of this program: the current list first, then the list after each
  /// change. A slow reader receives only the newest list. The sequence ends when the session is over.
  public var attachments: Attachments {
    Attachments(coordinator: coordinator, retainer: retainer)
  }

  /// Adds an attachment.
  ///
  /// The function returns as soon as the gateway has created the attachment. The upload continues, across lost connections, and
  /// other participants see the attachment when it is complete. `GroupSession.settle()` waits until the upload is complete. If
  /// `join()` was called, but the state is not `joined` yet, the function waits for that state. `Data` that begins with the
  /// signature of an image format is sent with that format's media type.
  ///
  /// - Parameter item: the item; it is sent as its first representation that can be exported.
  /// - Returns: the attachment. This program can load it immediately.
  /// - Throws: `JournalError`, `SendError.notJoined` before `join()`, or the error of the export.
  public func add<ItemType: Transferable>(_ item: ItemType) async throws -> Attachment {
    try await add(item, encodedMetadata: nil)
  }

  /// Adds an attachment with metadata.
  ///
  /// - Parameters:
  ///   - item: the item, as for `add(_:)`.
  ///   - metadata: the metadata, at most 4,096 bytes of JSON.
  /// - Returns: the attachment.
  /// - Throws: as `add(_:)`, or the error of encoding the metadata.
  public func add<ItemType: Transferable, MetadataType: Codable>(
    _ item: ItemType, metadata: MetadataType
  ) async throws -> Attachment {
    try await add(item, encodedMetadata: [UInt8](try JSONEncoder().encode(metadata)))
  }

  /// Adds the content of a file with a name and a media type. An extension of Apple's API.
  ///
  /// - Parameters:
  ///   - content: the content. The content of a memory-mapped file is not read into memory all at once.
  ///   - name: the file name; nil for none.
  ///   - contentType: a media type, such as `image/png`.
  ///   - metadata: the metadata, at most 4,096 bytes of JSON.
  /// - Returns: the attachment.
  /// - Throws: as `add(_:metadata:)`.
  public func add(
    _ content: Data, name: String?, contentType: String, metadata: some Encodable
  ) async throws -> Attachment {
    try await add(
      content, name: name, contentType: contentType,
      encodedMetadata: [UInt8](try JSONEncoder().encode(metadata)))
  }

  /// Removes an attachment for all participants. Every participant may do this. Removing a missing attachment is not an error.
  ///
  /// - Parameter attachment: the attachment.
  /// - Throws: `JournalError`, or `SendError.notJoined` before `join()`.
  public func remove(attachment: Attachment) async throws {
    _ = try await coordinator.joined()
    let upload = coordinator.state.withLock { $0.uploads.removeValue(forKey: attachment.id) }
    upload?.cancel()
    do throws(SessionClientError) {
      try await coordinator.api.remove(
        attachment.id, of: coordinator.session, by: coordinator.token)
    } catch {
      throw JournalError(error)
    }
  }

  private func add(_ item: some Transferable, encodedMetadata metadata: [UInt8]?) async throws -> Attachment {
    let exported = try await item.exported()
    let type =
      exported.mediaType == "application/octet-stream"
      ? ImageMediaType.mediaType(of: exported.data) ?? exported.mediaType : exported.mediaType
    return try await add(
      exported.data, name: exported.suggestedFileName, contentType: type, encodedMetadata: metadata)
  }

  private func add(
    _ content: Data, name: String?, contentType: String, encodedMetadata metadata: [UInt8]?
  ) async throws -> Attachment {
    let membership = try await coordinator.joined()
    let limits = membership.limits
    if let metadata, metadata.count > limits.metadataBytes {
      throw JournalError.metadataTooLarge(limit: limits.metadataBytes, actual: metadata.count)
    }
    guard content.count <= limits.attachmentBytes else {
      throw JournalError.tooLarge(limit: limits.attachmentBytes, actual: content.count)
    }
    let attachment = NewAttachment(name: name, contentType: contentType, metadata: metadata, content: content)
    do throws(SessionClientError) {
      let upload = try await coordinator.api.add(attachment, to: coordinator.session, as: membership.token)
      coordinator.track(upload)
      return Attachment(upload.attachment, content: content, coordinator: coordinator)
    } catch {
      throw JournalError(error)
    }
  }
}

extension SessionCoordinator {
  /// Retains an upload until it is complete or has failed, and stores the error of a failed upload for `settle`.
  func track(_ upload: Upload) {
    let id = upload.attachment.id
    state.withLock { $0.uploads[id] = upload }
    Task { [weak self] in
      var failure: SessionClientError?
      do throws(SessionClientError) {
        try await upload.finish()
      } catch {
        failure = error
      }
      self?.state.withLock { state in
        // If `uploads` no longer has the upload, there is no failure to store: the program removed the attachment, or `settle`
        // has already thrown the failure.
        guard state.uploads.removeValue(forKey: id) != nil, let failure else { return }
        state.uploadFailure = failure
      }
    }
  }
}
