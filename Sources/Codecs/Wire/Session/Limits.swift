/// All limits, by their names in the protocol. `GET /api/limits` and `joined` send them as one flat object.
package struct Limits: Decodable, JSONWritable, Sendable, Equatable {
  /// The maximum number of bytes of an entry's payload.
  package var messageBytes = 262_144
  /// The maximum number of entries per second from a participant, on average; a burst may be twice that.
  package var entriesPerSecond = 2_000
  /// The maximum number of bytes of entries per second from a participant, on average; a burst may be twice that.
  package var bytesPerSecond = 4 << 20
  /// The maximum number of concurrent participants of a session.
  package var participantsPerSession = 1_000
  /// The maximum number of past participants that a session remembers, so that they can return under their ids.
  package var pastParticipants = 10_000
  /// The maximum number of sessions.
  package var sessions = 10_000
  /// The maximum number of sessions that one address may create per minute.
  package var sessionsPerAddressPerMinute = 30
  /// The maximum number of stored sessions that were created from one address. Loopback has no such limit.
  package var sessionsPerAddress = 1_000
  /// The maximum number of connections.
  package var connections = 10_000
  /// The maximum number of connections of one address. Loopback has no such limit.
  package var connectionsPerAddress = 200
  /// The maximum number of bytes of a request's head.
  package var headBytes = 32_768
  /// The maximum number of seconds until a request's head is complete.
  package var headSeconds = 10
  /// The maximum number of bytes of incomplete messages and requests, over all sockets.
  package var incompleteBytes = 256 << 20
  /// The maximum number of bytes of an attachment.
  package var attachmentBytes = 104_857_600
  /// The maximum number of bytes of an attachment's metadata.
  package var metadataBytes = 4_096
  /// The maximum number of bytes of all attachments of a session.
  package var sessionAttachmentBytes = 2 << 30
  /// The number of seconds that an upload without progress is kept.
  package var uploadKeepSeconds = 86_400
  /// The maximum number of attachments of a session, including incomplete uploads.
  package var attachmentsPerSession = 1_000
  /// The maximum number of concurrent uploads, over all sessions.
  package var uploads = 256
  /// The number of bytes that uploads leave free on the disk.
  package var diskReserveBytes = 256 << 20
  /// The maximum number of bytes of the logs and attachments of all sessions.
  package var dataBytes = 1 << 40
  /// The maximum number of bytes of the logs and attachments of all sessions that were created from one address. Loopback has no
  /// such limit.
  package var dataBytesPerAddress = 10 << 30
  /// The maximum number of bytes of retained entries of a session.
  package var sessionLogBytes = 256 << 20
  /// The maximum number of bytes of a session's newest entries that stay in memory in the form in which they were sent.
  package var catchUpTailBytes = 4 << 20
  /// The maximum number of stored bytes of a session's history; 0 if the gateway keeps no history.
  package var historyBytes = 64 << 20
  /// The maximum number of bytes of entries in memory, over all sessions.
  package var memoryBytes = 2 << 30
  /// The maximum number of bytes of a session's entries that are not on the disk yet.
  package var unsavedSessionBytes = 16 << 20
  /// The maximum number of bytes of entries that are not on the disk yet, over all sessions.
  package var unsavedBytes = 256 << 20
  /// The number of seconds that a session is kept after the last participant left.
  package var sessionKeepSeconds = 2_592_000
  /// The number of seconds that a session without participants stays in memory.
  package var sessionIdleSeconds = 60
  /// The number of seconds that the end of a session is remembered.
  package var endedKeepSeconds = 604_800
  /// The number of seconds that the gateway must have run with a synchronised clock before it removes an expired session.
  package var removalDelaySeconds = 3_600
  /// The maximum number of seconds until `join` or `wait` arrives.
  package var joinSeconds = 10
  /// The number of seconds that a participant stays present after the socket broke.
  package var graceSeconds = 30
  /// The maximum number of seconds between two requests of a connection.
  package var idleSeconds = 60
  /// The maximum number of seconds without progress of a request's body.
  package var bodyStallSeconds = 20
  /// The minimum rate of an upload's body in bytes per second, averaged over `bodyRateSeconds`. It applies while all
  /// upload slots, or all slots of one address, are taken.
  package var minimumBodyBytesPerSecond = 1_024
  /// The number of seconds over which the rate of an upload's body is averaged.
  package var bodyRateSeconds = 30
  /// The maximum number of seconds until a message is complete.
  package var messageSeconds = 30

  /// The number of seconds that a session without retained entries is kept after the last participant left.
  package var emptySessionKeepSeconds: Int { min(600, sessionKeepSeconds) }

  /// The number of seconds that the gateway must have run before it removes an expired session. This time applies if the clock is
  /// not synchronised.
  package var unsynchronisedRemovalDelaySeconds: Int { 24 * removalDelaySeconds }

  /// Creates the default limits.
  package init() {}

  /// Writes all limits as one flat JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for limit in Self.all { writer.member(limit.name, self[keyPath: limit.keyPath]) }
    }
  }
}
