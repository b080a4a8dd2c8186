internal import FoundationEssentials
internal import Platform
internal import Primitives
internal import Wire

/// The accounts of all kept sessions, shared by the reactors and the sweeper.
///
/// The path of an entry never touches it: reactors report the bytes that a batch wrote and those that uploads reserve.
final class SessionLedger: Sendable {
  private struct State {
    var accounts: SessionAccounts
    /// True when it contains the sessions of earlier processes.
    var isLoaded: Bool
    /// The last refusal whose time was computed from all sessions, and when it was made.
    var lastRefusal: (refusal: Refusal, at: MonotonicTime)?
  }

  private let limits: Limits
  private let removal: RemovalGate
  private let state: Guarded<State>
  /// The time for which such a refusal is reused.
  private static let refusalTime = Duration.seconds(1)

  /// Creates an empty ledger; `isLoaded` if there are no sessions of earlier processes.
  init(limits: Limits, removal: RemovalGate, isLoaded: Bool) {
    self.limits = limits
    self.removal = removal
    state = Guarded(State(accounts: SessionAccounts(limits: limits), isLoaded: isLoaded))
  }

  /// False until it contains the sessions of earlier processes.
  var isLoaded: Bool { state.withLock { $0.isLoaded } }

  /// Records that it contains all sessions of earlier processes.
  func didLoad() {
    state.withLock { $0.isLoaded = true }
  }

  /// The figures of all sessions; nil before they are known.
  var totals: StoredTotals? { state.withLock { $0.isLoaded ? $0.accounts.totals : nil } }

  /// The number of sessions that have not ended.
  var held: Int { state.withLock { $0.accounts.held } }

  /// Returns the figures of a session; nil when it is not known.
  func account(of id: SessionID) -> SessionAccounts.Account? { state.withLock { $0.accounts[id] } }

  /// Counts a new session, unless that exceeds a limit.
  func admit(_ id: SessionID, creator: String?, now: MonotonicTime) -> Refusal? {
    let date = removal.clock.date
    let wait = removal.wait(now: now)
    return state.withLock { state in
      if state.accounts.held >= limits.sessions, let last = state.lastRefusal,
        now - last.at < Self.refusalTime
      {
        return last.refusal
      }
      guard var refusal = state.accounts.refusalOfNewSession(of: creator, date: date) else {
        state.accounts.set(SessionAccounts.Account(creator: creator), of: id)
        return nil
      }
      // No session is removed before that.
      refusal.retryAfterMs = refusal.retryAfterMs.map { max($0, UInt64(clamping: wait.wholeMilliseconds)) }
      if state.accounts.held >= limits.sessions { state.lastRefusal = (refusal, now) }
      return refusal
    }
  }

  /// Adds a session that was found on the disk, unless it is known.
  func add(_ account: SessionAccounts.Account, of id: SessionID) {
    state.withLock { state in
      if state.accounts[id] == nil { state.accounts.set(account, of: id) }
    }
  }

  /// Changes the figures of a session, if it is known.
  func update(_ id: SessionID, _ change: (inout SessionAccounts.Account) -> Void) {
    state.withLock { $0.accounts.update(id, change) }
  }

  /// Removes a session's figures.
  func forget(_ id: SessionID) {
    state.withLock { $0.accounts.forget(id) }
  }

  /// The refusal of more bytes in any session; nil while they are accepted.
  var refusalOfGrowth: Refusal? { state.withLock { $0.accounts.refusalOfGrowth } }

  /// Returns the refusal of more bytes in a session; nil when they are accepted.
  func refusalOfGrowth(of id: SessionID, adding bytes: Int = 0) -> Refusal? {
    state.withLock { $0.accounts.refusalOfGrowth(of: id, adding: bytes) }
  }
}
