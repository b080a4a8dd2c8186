package import FoundationEssentials
package import Wire

/// What a gateway is asked by HTTP.
package struct GatewayAPI: Sendable {
  /// Which gateway.
  package let gateway: GatewayAddress

  /// The requests of a gateway.
  package init(_ gateway: GatewayAddress) {
    self.gateway = gateway
  }

  /// Whether the gateway can be reached and takes sessions (`/readyz`).
  package func isReady() async -> Bool {
    fatalError()
  }

  /// Makes a session, or finds the successor that somebody made for the same one just before.
  ///
  /// - Parameters:
  ///   - activity: what it is for.
  ///   - follows: the session that it succeeds, with the token of somebody who is or was in that.
  /// - Returns: the session, whoever made it.
  /// - Throws: `RequestFailure`.
  package func makeSession(
    _ activity: Activity, following follows: (session: SessionID, token: Token)? = nil
  ) async throws(RequestFailure) -> SessionObject {
    fatalError()
  }

  /// What the gateway says of a session.
  package func session(_ id: SessionID) async throws(RequestFailure) -> SessionObject {
    fatalError()
  }

  /// Adds an attachment by tus: returns when the gateway has taken it on, and goes on with its bytes over any number of cuts.
  ///
  /// - Throws: `RequestFailure` when the gateway does not take it on.
  package func add(
    _ attachment: NewAttachment, to session: SessionID, as token: Token?
  ) async throws(RequestFailure) -> Upload {
    fatalError()
  }

  /// The bytes of an attachment that is ready; goes on where it was cut, and checks them against its digest.
  package func load(
    _ attachment: AttachmentObject, of session: SessionID
  ) async throws(RequestFailure) -> Data {
    fatalError()
  }

  /// Removes an attachment for everyone; fine when it is gone.
  package func remove(_ attachment: UUID, of session: SessionID) async throws(RequestFailure) {
    fatalError()
  }
}

/// An attachment that is to be added.
package struct NewAttachment: Sendable {
  /// Its name in the session; the same one twice is one attachment.
  package var id: UUID
  /// Its file's name; nil for none.
  package var name: String?
  /// Its media type.
  package var contentType: String
  /// What a program says about it, as JSON of at most `metadataBytes`; nil for nothing.
  package var metadata: [UInt8]?
  /// Its bytes.
  package var content: Data

  /// All of it.
  package init(id: UUID = UUID(), name: String? = nil, contentType: String, metadata: [UInt8]?, content: Data)
  {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.metadata = metadata
    self.content = content
  }
}

/// An upload that the gateway has taken on.
package final class Upload: Sendable {
  /// As the gateway described it when it took it on.
  package let attachment: AttachmentObject

  init(_ attachment: AttachmentObject) {
    self.attachment = attachment
  }

  /// Waits until all of it is there.
  package func finish() async throws(RequestFailure) {
    fatalError()
  }

  /// Gives it up; what came of it is removed.
  package func cancel() {
    fatalError()
  }
}

/// Why a request failed.
package enum RequestFailure: Error, Equatable, Sendable {
  /// No connection came about within the time, or it broke and trying again did not help; why, in words.
  case unreachable(String)
  /// The gateway's certificate is not to be trusted; why, in words.
  case notTrusted(String)
  /// The gateway refused, and says why.
  case refused(Refusal)
  /// What answered is no gateway; why, in words.
  case noGateway(String)
  /// The task that asked was cancelled.
  case cancelled
}
