import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

/// A gateway with a session, and a participant (`witness`) that receives the session's entries.
///
/// The session belongs to the second of two reactors, so that clients can connect to the reactor of the session or to the other
/// reactor.
final class JournalRoom {
  let gateway: RunningGateway
  let session: SessionID
  let witness: ParticipantClient
  let observer: JournalClient
  let metrics: Metrics
  /// The number of connections that `JournalRoom` itself opens: one each for the witness, the observer and the metrics. Tests
  /// compare with this constant, because a count at the beginning of a test may lack a connection that is not accepted yet.
  static let connections = 3

  init(_ adjust: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }) throws {
    gateway = try RunningGateway(reactors: 2) { configuration in
      // The connections that `JournalRoom` itself opens may be idle during a test. With these limits, the gateway does not close
      // them.
      configuration.limits.headSeconds = 3600
      configuration.limits.idleSeconds = 3600
      adjust(&configuration)
    }
    session = try gateway.makeSession(on: 1)
    witness = try ParticipantClient(gateway, session).join()
    observer = try JournalClient(gateway, session)
    metrics = try Metrics(of: gateway)
  }

  /// Returns a client of the session's journal. If `onOwner` is true, its connection is on the reactor that owns the session; if
  /// false, on the other reactor; if nil, on any reactor.
  func client(isSecure: Bool = false, onOwner: Bool? = nil) throws -> JournalClient {
    guard let onOwner else { return try JournalClient(gateway, session, isSecure: isSecure) }
    let http = try HTTPClient.on(
      reactor: onOwner ? 1 : 0, of: gateway, isSecure: isSecure, bodyLimit: JournalClient.bodyLimit)
    return JournalClient(http, session)
  }

  /// Ends the session with the token of the witness.
  func end() throws {
    let token = try #require(witness.joined?.token.text)
    let answer = try observer.http.ask(
      "DELETE", "/api/sessions/\(session.text)", ["Participant-Token": token])
    #expect(answer.status == 204)
  }

  /// Waits until no upload request is in progress, and until the list of attachments, the received entries, the files on
  /// the disk and the open descriptors agree.
  /// - Returns: the list.
  @discardableResult
  func settle(_ location: SourceLocation = #_sourceLocation) throws -> [AttachmentObject] {
    try metrics.wait(for: "no upload in progress") { $0["uploads"] == 0 }
    let deadline = TestTimeout.deadline
    while true {
      let list = try observer.list()
      try readAll()
      let differences = try differences(from: list)
      if differences.isEmpty { return list }
      guard .now() < deadline else {
        Issue.record("\(differences)", sourceLocation: location)
        return list
      }
      _ = try observer.stream.isReadable(within: .milliseconds(5))
    }
  }

  /// Waits until the session has no attachments and no files of uploads. The files of an aborted request are removed some
  /// time after the request has ended.
  func expectNothing(_ location: SourceLocation = #_sourceLocation) throws {
    let deadline = TestTimeout.deadline
    var list = try settle(location)
    while !list.isEmpty, .now() < deadline { list = try settle(location) }
    #expect(list.isEmpty, sourceLocation: location)
  }

  /// Makes the witness read all present entries of the session.
  func readAll() throws {
    let answer = try observer.http.ask("GET", "/api/sessions/\(session.text)")
    guard answer.status == 200 else { throw ClientError.answered(status: answer.status) }
    let object = try WireJSON.decode(SessionObject.self, from: answer.body.span)
    try witness.read(through: object.sequence)
  }

  private func differences(from list: [AttachmentObject]) throws -> [String] {
    var differences: [String] = []
    let seen = Set(witness.state.attachments.values.map(Self.essence))
    if seen != Set(list.map(Self.essence)) { differences.append("entries: \(seen), list: \(list)") }
    let uploads = gateway.files(of: session, in: .uploads)
    let uploading = list.count { $0.state == .uploading }
    if uploads.count != uploading { differences.append("uploads: \(uploads), not \(uploading)") }
    let contents = gateway.files(of: session, in: .attachments)
    let expectedContents = Set(list.compactMap(\.sha256))
    if contents != expectedContents { differences.append("contents: \(contents), not \(expectedContents)") }
    let open = try gateway.openFiles()
    if !open.isEmpty { differences.append("open: \(open)") }
    return differences
  }

  /// Returns the properties that all participants must have received. The offset is not one of them, because the
  /// unreliable entries about progress may be lost.
  private static func essence(_ object: AttachmentObject) -> String {
    "\(object.id) \(object.state) \(object.size ?? 0) \(object.sha256 ?? "")"
  }
}
