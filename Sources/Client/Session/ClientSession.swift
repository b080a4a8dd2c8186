package import Transport
package import Wire

/// A participant's side of a session: who is in it, what is due to be sent, what was told before; no socket, thread or clock.
///
/// It is told what happens and when, and answers with effects, which `takeEffects` gives in their order; after each input,
/// and when `deadline` is there, for nothing happens by itself.
package struct ClientSession: Sendable {
  /// A side that has not joined.
  ///
  /// - Parameters:
  ///   - profile: how to be shown; the gateway makes up what is missing.
  ///   - chance: spreads those who were cut together.
  ///   - now: the time.
  package init(
    profile: Profile, chance: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    now: MonotonicTime
  ) {
    fatalError()
  }

  // What the program wants.

  /// Connects and joins; a second call does nothing.
  package mutating func join(now: MonotonicTime) { fatalError() }

  /// Sends what waits if there is a connection, for 5 s at most, and leaves. `ended(.left)` is told at once.
  package mutating func leave(now: MonotonicTime) { fatalError() }

  /// Ends the session for everyone, behind what was enqueued before.
  package mutating func end(now: MonotonicTime) { fatalError() }

  /// Changes the session's activity for everyone, behind what was enqueued before.
  package mutating func change(_ change: ActivityChange, now: MonotonicTime) { fatalError() }

  /// Changes how this participant is shown.
  package mutating func change(_ profile: Profile, now: MonotonicTime) { fatalError() }

  /// Takes an entry that the gate has passed: a reliable one is kept until it is committed, another is sent now or never.
  package mutating func enqueue(_ entry: OutgoingEntry, now: MonotonicTime) { fatalError() }

  /// Asks for `reached(mark:)` when all that was enqueued before is on the gateway's disk.
  package mutating func mark(_ id: UInt64, now: MonotonicTime) { fatalError() }

  // What the socket does.

  /// The socket that `open` asked for is open: the WebSocket handshake is over.
  package mutating func opened(now: MonotonicTime) { fatalError() }

  /// Bytes came, of whatever kind; before the messages in them.
  package mutating func heard(now: MonotonicTime) { fatalError() }

  /// Somebody stopped to read, or goes on: silence says nothing meanwhile.
  package mutating func reading(_ isReading: Bool, now: MonotonicTime) { fatalError() }

  /// A text message. What is none of a gateway's is passed over.
  package mutating func received(text: Span<UInt8>, now: MonotonicTime) { fatalError() }

  /// A binary message. After one that cannot be cut into entries a new socket is asked for.
  package mutating func received(entries bytes: Span<UInt8>, now: MonotonicTime) { fatalError() }

  /// So many bytes of what was given to the socket are still to be taken by the kernel; whenever that has become less.
  package mutating func canSend(waiting bytes: Int, now: MonotonicTime) { fatalError() }

  /// The socket is gone.
  package mutating func closed(_ end: SocketEnd, now: MonotonicTime) { fatalError() }

  /// Time has passed; to be called when `deadline` is there.
  package mutating func elapsed(now: MonotonicTime) { fatalError() }

  /// When `elapsed` is due; nil while nothing is waited for.
  package var deadline: MonotonicTime? { fatalError() }

  /// What is to be done, in this order; each is given once.
  package mutating func takeEffects() -> [ClientEffect] { fatalError() }

  /// How many bytes of reliable entries it has let go of since it began, counted as `SendGate` counts them.
  package var releasedBytes: Int { fatalError() }

  /// What proves who this participant is; nil before `joined`. It is kept after `leave`.
  package var token: Token? { fatalError() }

  /// The limits in force: those of the last `joined`, or the defaults before.
  package var limits: Limits { fatalError() }
}
