internal import Primitives
internal import Wire

/// After how long to connect again: at once, then later and later, for those who were cut together should not come back
/// together.
struct ReconnectBackoff: Sendable {
  /// The longest that the gateway may ask us to wait.
  static let longestWait = Duration.seconds(60)
  private static let first = 0.1
  private static let longest = 10.0
  /// From how many sockets on that did not last, one after the other, that is trouble.
  private static let fewShort = 3

  /// How long a socket lives, once it works, until the next trouble is the first.
  private let lasting: Duration
  private var attempt = 0
  private var worksSince: MonotonicTime?
  private var shortOnes = 0
  private var faults = 0
  private var lastFault: MonotonicTime?

  /// - Parameter lasting: how long a socket lives, once it works, until the next attempt is at once again: what lets us in and
  ///   then closes is else asked without end.
  init(lasting: Duration = .seconds(5)) {
    self.lasting = lasting
  }

  /// The session works again.
  mutating func works(now: MonotonicTime) { worksSince = now }

  /// The socket is gone. If it worked, the next trouble is the first, but only once in a row when it did not work for long.
  mutating func breaks(now: MonotonicTime) {
    guard let since = worksSince else { return }
    worksSince = nil
    shortOnes = now - since >= lasting ? 0 : min(shortOnes + 1, Self.fewShort)
    if shortOnes <= 1 { attempt = 0 }
  }

  /// Whether sockets work, and break soon, one after the other.
  var isShortLived: Bool { shortOnes == Self.fewShort }

  /// The gateway said what it must not say: what is asked for at once again may be said at once again.
  mutating func noteFault(now: MonotonicTime) {
    if let lastFault, now - lastFault > .seconds(60) { faults = 0 }
    lastFault = now
    faults = min(faults + 1, 10)
    attempt = max(attempt, faults + 2)
  }

  /// Whether faults follow one another.
  var isRepeating: Bool { faults > 1 }

  /// The time before the next attempt, at least as long as the gateway asked for.
  mutating func next(
    after wanted: Duration = .zero, by chance: inout some RandomNumberGenerator
  ) -> Duration {
    defer { attempt = min(attempt + 1, 30) }
    let part = Double.random(in: 0.5...1, using: &chance)
    let asked = max(.zero, min(wanted, Self.longestWait))
    guard attempt > 0 else {
      // Told to all at once: they come one after the other.
      return asked + .milliseconds(Int64(1000 * min(0.5, asked / .seconds(1)) * part))
    }
    let seconds = min(Self.longest, Self.first * Double(1 << min(attempt - 1, 10))) * part
    return asked + .milliseconds(Int64(seconds * 1000))
  }
}

/// What the end of a socket means.
enum CloseAction: Equatable {
  /// Come back, after that time at least; why, if it was said in words.
  case reconnect(after: Duration = .zero, why: String? = nil)
  /// Come back as somebody else.
  case reconnectAsNew
  /// It is over.
  case end(EndReason)

  /// - Parameters:
  ///   - end: how the socket ended.
  ///   - wasJoined: whether the session ever took us in.
  init(_ end: SocketEnd, wasJoined: Bool) {
    switch end {
    case .closed(let code, let reason): self.init(code: code, reason: reason, wasJoined: wasJoined)
    case .broken(let why): self = .reconnect(why: why)
    case .refused(let status, let detail, let retryAfter):
      // The wrong host, or nothing that we may: it will not become right.
      let isFinal = !wasJoined && (400..<500).contains(status) && ![408, 425, 429].contains(status)
      self =
        isFinal
        ? .end(status == 404 ? .notFound : .refused(code: UInt16(clamping: status), detail: detail))
        : .reconnect(after: retryAfter ?? .zero, why: detail)
    case .notTrusted(let why): self = wasJoined ? .reconnect(why: why) : .end(.notTrusted(why))
    case .noGateway(let why): self = wasJoined ? .reconnect(why: why) : .end(.noGateway(why))
    }
  }

  private init(code: UInt16, reason: [UInt8], wasJoined: Bool) {
    let told = CloseReasonText(reason)
    let detail = told.detail ?? "The gateway closed the connection with code \(code)."
    switch code {
    case 1000: self = .end(.left)
    case 4010: self = .end(.ended)
    case 4004: self = .end(.notFound)
    // Who was in and comes back late waits until somebody leaves.
    case 4005: self = wasJoined ? .reconnect(after: .seconds(1), why: detail) : .end(.full)
    case 4026: self = .end(.versionNotSpoken)
    case 1002, 1003, 1007, 1008, 1009: self = .end(.refused(code: code, detail: detail))
    case 4009: self = .reconnectAsNew
    case 4029: self = .reconnect(after: max(told.retryAfter, .seconds(5)), why: detail)
    // 1001, 1005, 1006, 1011, 1012, 1013, 4001, 4008, 4013, and what later versions may add.
    default: self = .reconnect(after: told.retryAfter, why: detail)
    }
  }
}

/// The reason of a close frame: short JSON of a gateway, or anything at all.
private struct CloseReasonText {
  var detail: String?
  var retryAfter = Duration.zero

  init(_ reason: [UInt8]) {
    // A proxy may have closed the socket in words of its own.
    guard case .object(let members)? = try? JSONParser.parse(reason.span) else { return }
    if case .string(let text)? = members["detail"] { detail = text }
    if let ms = try? members.integer("retryAfterMs", as: UInt64.self) {
      retryAfter = .milliseconds(Int64(min(ms, 60_000)))
    }
  }
}
