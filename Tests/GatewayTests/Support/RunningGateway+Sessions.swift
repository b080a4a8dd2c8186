import FoundationEssentials
import Glibc
import SessionCore
import Storage
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

/// The sessions of a gateway, read from its internal state and its data folder.
extension RunningGateway {
  /// Sets limits with which a session without participants is unloaded immediately.
  static func forgetful(_ configuration: inout GatewayConfiguration) {
    configuration.limits.graceSeconds = 0
    configuration.limits.sessionIdleSeconds = 0
  }

  /// Waits until a session fulfils a condition on its reactor; nil stands for a session that is not loaded.
  func wait(
    for what: String, of session: SessionID, _ condition: @Sendable (SessionHost?) -> Bool
  ) async throws {
    try await wait(for: what) { await self.gateway.shared.owner(of: session).isTrue(of: session, condition) }
  }

  /// Waits until a condition is true, by checking it repeatedly.
  func wait(for what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = TestTimeout.deadline
    while try await !condition() {
      guard .now() < deadline else { throw ClientError.outOfPatience(waitingFor: what) }
      sched_yield()
    }
  }

  /// Waits until all records of a session are written.
  func waitUntilSaved(_ session: SessionID) async throws {
    try await wait(for: "all records are on the disk", of: session) {
      $0.map { !$0.session.hasUnsaved && !$0.isInFlight } ?? true
    }
  }

  /// The kinds of the records in a session's log.
  func kinds(of session: SessionID) throws -> [SessionRecord.Kind] {
    var kinds: [SessionRecord.Kind] = []
    _ = try #require(gateway.shared.store as? FolderStore).read(session) { (kind, _) throws(RecordError) in
      if let kind = SessionRecord.Kind(rawValue: kind) { kinds.append(kind) }
    }
    return kinds
  }

  /// Undoes the end of a session in the store, as another process would do it.
  func restoreSession(_ session: SessionID) throws -> Bool {
    try #require(gateway.shared.store as? FolderStore).append(
      RestoredRecord(at: .now).encoded, toClosed: session
    ) {
      $0.kind == SessionRecord.Kind.end.rawValue
    }
  }

  /// The number of open logs of this process.
  func openLogs() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      // A descriptor may be closed during the call, and then has no target.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target.map { $0.hasPrefix("\(folder)/data/sessions/") && $0.hasSuffix("/log") } ?? false
    }
  }

  /// Sends a request over a new connection, and returns the status of the response.
  func status(
    _ method: String, _ path: String, _ fields: KeyValuePairs<String, String> = [:]
  ) throws -> Int {
    try HTTPClient(self).ask(method, path, fields).status
  }

  /// Requests a session, and returns the status of the response.
  func status(of session: SessionID) throws -> Int { try status("GET", "/api/sessions/\(session.text)") }

  /// Requests the end of a session, with the token of a participant.
  func end(_ session: SessionID, _ token: Token) throws -> Int {
    try status("DELETE", "/api/sessions/\(session.text)", ["Participant-Token": token.text])
  }

  /// Requests a new session, and returns the status.
  func statusOfNewSession() throws -> Int {
    try HTTPClient(self).ask("POST", "/api/sessions", body: []).status
  }
}

extension Reactor {
  /// Evaluates a condition for a session, or for nil if the session is not in memory.
  func isTrue(of session: SessionID, _ condition: @Sendable (SessionHost?) -> Bool) -> Bool {
    condition(sessions[session] ?? sessions.endedSessionCache[session])
  }

  /// Returns true while an attachment has all its bytes and is not ready.
  func hasAllBytes(of attachment: UUID, in session: SessionID) -> Bool {
    sessions[session].flatMap { http.uploads.pendingAttachments[attachment, $0] }?.isWhole ?? false
  }

  /// The number of ended sessions in memory.
  var endedCount: Int { sessions.endedSessionCache.count }
}
