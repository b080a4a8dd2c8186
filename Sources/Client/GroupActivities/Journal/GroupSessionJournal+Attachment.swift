import SessionClient
public import CoreTransferable
public import FoundationEssentials
import Wire

extension GroupSessionJournal {
  /// An attachment of a session (Apple's type).
  public struct Attachment: Identifiable, Sendable {
    /// The identifier, the same for all participants.
    public let id: UUID
    private let object: AttachmentObject
    /// The content if this program added the attachment itself; nil if the content has to be downloaded.
    private let content: Data?
    private let coordinator: SessionCoordinator

    init(_ object: AttachmentObject, content: Data? = nil, coordinator: SessionCoordinator) {
      id = object.id
      self.object = object
      self.content = content
      self.coordinator = coordinator
    }

    /// The file name. An extension of Apple's API.
    public var name: String { object.name }

    /// The media type that the uploader gave. An extension of Apple's API.
    public var contentType: String { object.contentType }

    /// The size in bytes. An extension of Apple's API.
    public var size: Int { object.size.map { Int(clamping: $0) } ?? content?.count ?? 0 }

    /// Loads the content. Content that is downloaded is checked against its SHA-256 digest and cached, so it is downloaded only
    /// once.
    ///
    /// - Parameter attachmentType: the type to create; `Data` accepts any content.
    /// - Returns: the value that the type's representations create from the content.
    /// - Throws: `JournalError`, or the error of the import.
    public func load<AttachmentType: Transferable>(_ attachmentType: AttachmentType.Type) async throws
      -> AttachmentType
    {
      let data: Data
      if let content {
        data = content
      } else {
        do throws(SessionClientError) {
          let limits = coordinator.limits
          data = try await coordinator.api.load(
            object, of: coordinator.session, limit: limits.attachmentBytes)
        } catch {
          throw JournalError(error)
        }
      }
      return try await AttachmentType.imported(from: data, mediaType: object.contentType)
    }

    /// Returns the metadata with which the attachment was added. The metadata arrive together with the attachment's description,
    /// so no download is needed.
    ///
    /// - Returns: the decoded metadata.
    /// - Throws: `JournalError.noMetadata`, or the decoding error.
    public func loadMetadata<MetadataType: Codable>(of type: MetadataType.Type) async throws -> MetadataType {
      guard let metadata = object.metadata else { throw JournalError.noMetadata }
      return try JSONDecoder().decode(type, from: Data(metadata.text))
    }
  }

  /// The lists of a session's attachments: one list after each change (Apple's type).
  public struct Attachments: AsyncSequence, Sendable {
    /// The list of all attachments.
    public typealias Element = [Attachment]
    /// The sequence never fails.
    public typealias Failure = Never
    /// The iterator's type.
    public typealias AsyncIterator = Iterator

    let coordinator: SessionCoordinator
    let retainer: SessionRetainer

    /// Subscribes to the changes.
    public func makeAsyncIterator() -> Iterator {
      Iterator(coordinator: coordinator, retainer: retainer, subscription: coordinator.journal.subscribe())
    }

    /// The iterator over the changes. The subscription lasts as long as the iterator.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// The list of all attachments.
      public typealias Element = Attachments.Element
      /// The sequence never fails.
      public typealias Failure = Never

      let coordinator: SessionCoordinator
      let retainer: SessionRetainer
      let subscription: AttachmentSubscription

      /// Returns the list of all attachments after a change; nil at the end, and when the task is cancelled.
      public mutating func next() async -> Element? {
        await next(isolation: #isolation)
      }

      /// Returns the list of all attachments after a change; nil at the end, and when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        let coordinator = coordinator
        return await subscription.next()?.map { Attachment($0, coordinator: coordinator) }
      }
    }
  }

  /// The reason why an attachment could not be added, loaded or removed. `description` is the reason in English.
  @nonexhaustive
  public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The content is larger than the limit. Both values are in bytes.
    case tooLarge(limit: Int, actual: Int)
    /// The metadata are larger than the limit. Both values are in bytes of JSON.
    case metadataTooLarge(limit: Int, actual: Int)
    /// The attachment was added without metadata.
    case noMetadata
    /// The gateway could not be reached. The value is a message with the reason.
    case unreachable(String)
    /// The attachment is damaged on the gateway's disk. The operator can restore it. Any participant can also repair it by adding
    /// the same content again.
    case damaged
    /// The gateway refused the request. The values are the gateway's error code, such as `session-quota`, and its message.
    case refused(code: String, detail: String)
    /// The calling task was cancelled.
    case cancelled

    init(_ failure: SessionClientError) {
      self =
        switch failure {
        case .unreachable(let words), .notTrusted(let words), .noGateway(let words): .unreachable(words)
        case .refused(let refusal) where refusal.code == .attachmentTooLarge && refusal.actual != nil:
          .tooLarge(limit: Int(clamping: refusal.limit ?? 0), actual: Int(clamping: refusal.actual ?? 0))
        case .refused(let refusal) where refusal.damaged == true: .damaged
        case .refused(let refusal): .refused(code: refusal.code.rawValue, detail: refusal.detail)
        case .cancelled: .cancelled
        }
    }

    /// A message of one sentence.
    public var description: String {
      switch self {
      case .tooLarge(let limit, let actual):
        "An attachment may have at most \(limit) bytes; this attachment has \(actual)."
      case .metadataTooLarge(let limit, let actual):
        "The metadata of an attachment may have at most \(limit) bytes of JSON; these have \(actual)."
      case .noMetadata: "The attachment was added without metadata."
      case .unreachable(let words): words
      case .damaged: "The attachment is damaged on the gateway's disk and cannot be loaded."
      case .refused(_, let detail): detail
      case .cancelled: "The calling task was cancelled."
      }
    }
  }
}
