import SessionClient
public import CoreTransferable
public import FoundationEssentials
import Platform
import Wire

/// The attachments of a session: files and whatever else is too large for a message (Apple's class).
///
/// An attachment has at most 104,857,600 bytes, never changes, and stays as long as the session, or until somebody removes
/// it. A journal keeps its session.
public final class GroupSessionJournal: Sendable {
  let coordinator: SessionCoordinator
  private let retainer: SessionRetainer

  /// The journal of a session.
  public convenience init<Activity: GroupActivity>(session: GroupSession<Activity>) {
    self.init(coordinator: session.coordinator, retainer: SessionRetainer(session))
  }

  private init(coordinator: SessionCoordinator, retainer: SessionRetainer) {
    self.coordinator = coordinator
    self.retainer = retainer
  }

  /// The attachments that can be read: what there is first, then all of it each time it changes, to whoever added something
  /// too. Who is slow is given the newest. It ends when the session is over.
  public var attachments: Attachments {
    Attachments(coordinator: coordinator, retainer: retainer)
  }

  /// Adds something. Returns once the gateway has taken it on; its bytes go on arriving, over any number of cut connections,
  /// and everybody is told of it when it is whole. `GroupSession.settle()` waits for that.
  ///
  /// Between `join()` and `joined` it waits. Data that is a picture by its first bytes travels as one.
  ///
  /// - Parameter item: what is added, as its first representation that goes out.
  /// - Returns: the attachment; whoever added it reads it at once.
  /// - Throws: `JournalError`, `SendError.notJoined` before `join()`, or what exporting the item throws.
  public func add<ItemType: Transferable>(_ item: ItemType) async throws -> Attachment {
    try await add(item, encodedMetadata: nil)
  }

  /// Adds something, as `add(_:)` does, and says something about it.
  ///
  /// - Parameters:
  ///   - item: what is added.
  ///   - metadata: what is said about it, of at most 4,096 bytes as JSON.
  /// - Returns: the attachment.
  /// - Throws: as `add(_:)`, and what encoding the metadata throws.
  public func add<ItemType: Transferable, MetadataType: Codable>(
    _ item: ItemType, metadata: MetadataType
  ) async throws -> Attachment {
    try await add(item, encodedMetadata: [UInt8](try JSONEncoder().encode(metadata)))
  }

  /// Ours: adds the content of a file under its name and media type.
  ///
  /// - Parameters:
  ///   - content: the bytes; of a file that is mapped into memory they are not copied whole.
  ///   - name: the file's name; nil for none.
  ///   - contentType: a media type, such as `image/png`.
  ///   - metadata: what is said about it, of at most 4,096 bytes as JSON.
  /// - Returns: the attachment.
  /// - Throws: as `add(_:metadata:)`.
  public func add(
    _ content: Data, name: String?, contentType: String, metadata: some Encodable
  ) async throws -> Attachment {
    try await add(
      content, name: name, contentType: contentType,
      encodedMetadata: [UInt8](try JSONEncoder().encode(metadata)))
  }

  /// Removes an attachment for everybody, whoever added it; one that is gone already is no error.
  ///
  /// - Parameter attachment: which.
  /// - Throws: `JournalError`, `SendError.notJoined` before `join()`.
  public func remove(attachment: Attachment) async throws {
    _ = try await coordinator.joined()
    let upload = coordinator.state.withLock { $0.uploads.removeValue(forKey: attachment.id) }
    upload?.cancel()
    do throws(RequestFailure) {
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
    do throws(RequestFailure) {
      let upload = try await coordinator.api.add(attachment, to: coordinator.session, as: membership.token)
      coordinator.track(upload)
      return Attachment(upload.attachment, content: content, coordinator: coordinator)
    } catch {
      throw JournalError(error)
    }
  }
}

extension SessionCoordinator {
  /// Keeps an upload until it is there, and remembers why it is not for `settle`.
  func track(_ upload: Upload) {
    let id = upload.attachment.id
    state.withLock { $0.uploads[id] = upload }
    Task { [weak self] in
      var failure: RequestFailure?
      do throws(RequestFailure) {
        try await upload.finish()
      } catch {
        failure = error
      }
      self?.state.withLock { state in
        // One that was removed is no failure.
        guard state.uploads.removeValue(forKey: id) != nil, let failure else { return }
        state.uploadFailure = failure
      }
    }
  }
}
