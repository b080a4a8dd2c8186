/// Every limit in force, by the names of the contract. `GET /api/limits` and `joined` give them as one flat object.
package struct Limits: Decodable, JSONWritable, Sendable, Equatable {
  /// The most bytes of an entry's payload.
  package var messageBytes = 262_144
  /// How many entries a participant may send a second, in the mean; the burst is twice that.
  package var entriesPerSecond = 1_000
  /// How many bytes of entries a participant may send a second, in the mean; the burst is twice that.
  package var bytesPerSecond = 4 << 20
  /// How many may be in a session at once.
  package var participantsPerSession = 1_000
  /// How many who are gone a session remembers, so that they come back as themselves.
  package var pastParticipants = 10_000
  /// How many sessions there may be.
  package var sessions = 10_000
  /// How many sessions one address may make a minute.
  package var sessionsPerAddressPerMinute = 30
  /// The most kept sessions that were created from one address. Loopback has no such limit.
  package var sessionsPerAddress = 1_000
  /// How many connections there may be.
  package var connections = 10_000
  /// How many connections one address may have; loopback may have all.
  package var connectionsPerAddress = 200
  /// The most bytes of a request's head.
  package var headBytes = 32_768
  /// Within how many seconds a request's head must arrive.
  package var headSeconds = 10
  /// The most bytes of half-received messages and requests, over all sockets.
  package var incompleteBytes = 256 << 20
  /// The most bytes of an attachment.
  package var attachmentBytes = 104_857_600
  /// The most bytes of an attachment's metadata.
  package var metadataBytes = 4_096
  /// The most bytes of all attachments of a session.
  package var sessionAttachmentBytes = 2 << 30
  /// For how many seconds an upload is kept that makes no progress.
  package var uploadKeepSeconds = 86_400
  /// How many attachments a session may hold, those that are being uploaded included.
  package var attachmentsPerSession = 1_000
  /// How many uploads may run at once, over all sessions.
  package var uploads = 256
  /// How many bytes uploads leave free on the disk.
  package var diskReserveBytes = 256 << 20
  /// The most bytes of the logs and attachments of all sessions.
  package var dataBytes = 1 << 40
  /// The most bytes of the logs and attachments of all sessions that were created from one address. Loopback has no such limit.
  package var dataBytesPerAddress = 10 << 30
  /// The most bytes of retained entries of a session.
  package var sessionLogBytes = 256 << 20
  /// How many bytes of its newest entries a session keeps as they were sent.
  package var catchUpTailBytes = 4 << 20
  /// How many bytes of entries all sessions together hold in memory.
  package var memoryBytes = 2 << 30
  /// How many bytes of a session's entries may wait for the disk.
  package var unsavedSessionBytes = 16 << 20
  /// How many bytes of entries may wait for the disk, over all sessions.
  package var unsavedBytes = 256 << 20
  /// For how many seconds a session is kept after the last one left.
  package var sessionKeepSeconds = 2_592_000
  /// For how many seconds a session without people stays in memory, before it is only on the disk.
  package var sessionIdleSeconds = 60
  /// For how many seconds it is known that a session has ended.
  package var endedKeepSeconds = 604_800
  /// The running time in seconds, with a synchronised clock, before an expired session is removed.
  package var removalDelaySeconds = 3_600
  /// Within how many seconds `join` or `wait` must arrive.
  package var joinSeconds = 10
  /// For how many seconds somebody whose socket broke still counts as here.
  package var graceSeconds = 30
  /// For how many seconds a connection may be idle between requests.
  package var idleSeconds = 60
  /// For how many seconds a request's body may stall.
  package var bodyStallSeconds = 20
  /// The least bytes a second of an upload's body, averaged over `bodyRateSeconds`, while all upload slots, or all slots of one
  /// address, are taken.
  package var minimumBodyBytesPerSecond = 1_024
  /// The number of seconds over which the rate of an upload's body is averaged.
  package var bodyRateSeconds = 30
  /// Within how many seconds a message must arrive whole.
  package var messageSeconds = 30

  /// For how many seconds a session without a retained entry is kept after the last one left.
  package var emptySessionKeepSeconds: Int { min(600, sessionKeepSeconds) }

  /// The running time in seconds before an expired session is removed while the clock is not synchronised.
  package var unsynchronisedRemovalDelaySeconds: Int { 24 * removalDelaySeconds }

  /// The defaults.
  package init() {}

  /// Writes one flat object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for limit in Self.all { writer.member(limit.name, self[keyPath: limit.keyPath]) }
    }
  }
}
