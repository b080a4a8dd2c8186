import SessionClient
public import CoreTransferable
public import FoundationEssentials
import Wire

extension GroupSessionJournal {
  /// Something that somebody added (Apple's type).
  public struct Attachment: Identifiable, Sendable {
    /// The same for everybody in the session.
    public let id: UUID
    private let object: AttachmentObject
    /// What this program itself added need not be fetched.
    private let content: Data?
    private let coordinator: SessionCoordinator

    init(_ object: AttachmentObject, content: Data? = nil, coordinator: SessionCoordinator) {
      id = object.id
      self.object = object
      self.content = content
      self.coordinator = coordinator
    }

    /// Ours: its file's name.
    public var name: String { object.name }

    /// Ours: its media type as its uploader gave it.
    public var contentType: String { object.contentType }

    /// Ours: in bytes.
    public var size: Int { object.size.map { Int(clamping: $0) } ?? content?.count ?? 0 }

    /// Reads it. The same data is fetched once, and checked against its digest.
    ///
    /// - Parameter attachmentType: what is made of it; `Data` takes anything.
    /// - Returns: what its type's representations make of the data.
    /// - Throws: `JournalError`, or what importing throws.
    public func load<AttachmentType: Transferable>(_ attachmentType: AttachmentType.Type) async throws
      -> AttachmentType
    {
      let data: Data
      if let content {
        data = content
      } else {
        do throws(RequestFailure) {
          let limits = coordinator.limits
          data = try await coordinator.api.load(
            object, of: coordinator.session, limit: limits.attachmentBytes)
        } catch {
          throw JournalError(error)
        }
      }
      return try await AttachmentType.imported(from: data, mediaType: object.contentType)
    }

    /// What was said about it when it was added; that came with it, so nothing is fetched.
    ///
    /// - Returns: the metadata.
    /// - Throws: `JournalError.noMetadata`, or what decoding it throws.
    public func loadMetadata<MetadataType: Codable>(of type: MetadataType.Type) async throws -> MetadataType {
      guard let metadata = object.metadata else { throw JournalError.noMetadata }
      return try JSONDecoder().decode(type, from: Data(metadata.text))
    }
  }

  /// The attachments of a session as they change (Apple's type).
  public struct Attachments: AsyncSequence, Sendable {
    /// All of them.
    public typealias Element = [Attachment]
    /// It never fails.
    public typealias Failure = Never
    /// What goes through it.
    public typealias AsyncIterator = Iterator

    let coordinator: SessionCoordinator
    let retainer: SessionRetainer

    /// Begins to follow them.
    public func makeAsyncIterator() -> Iterator {
      Iterator(coordinator: coordinator, retainer: retainer, subscription: coordinator.journal.subscribe())
    }

    /// Goes through the changes. It follows them as long as somebody holds it.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// All of them.
      public typealias Element = Attachments.Element
      /// It never fails.
      public typealias Failure = Never

      let coordinator: SessionCoordinator
      let retainer: SessionRetainer
      let subscription: AttachmentSubscription

      /// All attachments, once there is a change; nil at the end, and once the task is cancelled.
      public mutating func next() async -> Element? {
        await next(isolation: #isolation)
      }

      /// All attachments, once there is a change; nil at the end, and once the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        let coordinator = coordinator
        return await subscription.next()?.map { Attachment($0, coordinator: coordinator) }
      }
    }
  }

  /// Why something could not be added, read or removed; in words by `description`.
  @nonexhaustive
  public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is larger than an attachment may be, in bytes.
    case tooLarge(limit: Int, actual: Int)
    /// Its metadata is larger than that may be, in bytes as JSON.
    case metadataTooLarge(limit: Int, actual: Int)
    /// Nothing was said about it when it was added.
    case noMetadata
    /// No connection came about; why, in words.
    case unreachable(String)
    /// The attachment is damaged on the gateway's disk. Only its operator, or adding the same content again, can help.
    case damaged
    /// The gateway refused, with its code, such as `session-quota`, and in its words.
    case refused(code: String, detail: String)
    /// The task was cancelled.
    case cancelled

    init(_ failure: RequestFailure) {
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

    /// In a sentence.
    public var description: String {
      switch self {
      case .tooLarge(let limit, let actual):
        "An attachment has at most \(limit) bytes; this one has \(actual)."
      case .metadataTooLarge(let limit, let actual):
        "An attachment's metadata has at most \(limit) bytes as JSON; this has \(actual)."
      case .noMetadata: "The attachment was added without metadata."
      case .unreachable(let words): words
      case .damaged: "The attachment is damaged on the gateway's disk and cannot be loaded."
      case .refused(_, let detail): detail
      case .cancelled: "The task that asked was cancelled."
      }
    }
  }
}
