internal import FoundationEssentials
internal import Platform
internal import Primitives
internal import Wire

/// The accounts of all stored sessions, shared by the reactors and the sweeper.
///
/// Reactors report the bytes of each session after a written batch, and the bytes that uploads reserve. The code that handles an
/// entry never accesses the ledger.
final class SessionLedger: Sendable {
  private struct State {
    var accounts: SessionAccounts
    /// True when the ledger contains the sessions of earlier processes.
    var isLoaded: Bool
    /// The last refusal because of the limit `sessions`, and the time of this refusal. The refusal is reused for a short time,
    /// because computing its retry time from the accounts of all sessions takes long.
    var lastRefusal: (refusal: Refusal, at: MonotonicTime)?
  }

  private let limits: Limits
  private let removal: RemovalGate
  private let state: Guarded<State>
  /// The time for which `State.lastRefusal` is reused, because computing a new refusal takes long.
  private static let refusalTime = Duration.seconds(1)

  /// Creates an empty ledger. `isLoaded` is true if no sessions of earlier processes have to be added.
  init(limits: Limits, removal: RemovalGate, isLoaded: Bool) {
    self.limits = limits
    self.removal = removal
    state = Guarded(State(accounts: SessionAccounts(limits: limits), isLoaded: isLoaded))
  }

  /// False until the ledger contains the sessions of earlier processes.
  var isLoaded: Bool { state.withLock { $0.isLoaded } }

  /// Records that the ledger contains all sessions of earlier processes.
  func didLoad() {
    state.withLock { $0.isLoaded = true }
  }

  /// The number and bytes of all stored sessions; nil until `didLoad` was called.
  var totals: StoredTotals? { state.withLock { $0.isLoaded ? $0.accounts.totals : nil } }

  /// The number of sessions that have not ended.
  var held: Int { state.withLock { $0.accounts.held } }

  /// Returns the account of a session; nil when the ledger does not contain the session.
  func account(of id: SessionID) -> SessionAccounts.Account? { state.withLock { $0.accounts[id] } }

  /// Counts a new session, unless a limit would be exceeded.
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
      // During `wait`, the clock is not trusted and no session is removed, so an earlier retry would be refused too.
      refusal.retryAfterMs = refusal.retryAfterMs.map { max($0, UInt64(clamping: wait.wholeMilliseconds)) }
      if state.accounts.held >= limits.sessions { state.lastRefusal = (refusal, now) }
      return refusal
    }
  }

  /// Adds a session that was found on the disk, unless the ledger contains it.
  func add(_ account: SessionAccounts.Account, of id: SessionID) {
    state.withLock { state in
      if state.accounts[id] == nil { state.accounts.set(account, of: id) }
    }
  }

  /// Changes the account of a session, if the ledger contains the session.
  func update(_ id: SessionID, _ change: (inout SessionAccounts.Account) -> Void) {
    state.withLock { $0.accounts.update(id, change) }
  }

  /// Updates the numbers of log bytes and attachment bytes in the account of a session that is in memory.
  ///
  /// - Returns: the refusal of further bytes in the session; nil when they are accepted.
  func report(_ id: SessionID, logBytes: Int, attachmentBytes: Int) -> Refusal? {
    state.withLock { $0.accounts.report(id, logBytes: logBytes, attachmentBytes: attachmentBytes) }
  }

  /// Removes the account of a session from the ledger.
  func forget(_ id: SessionID) {
    state.withLock { $0.accounts.forget(id) }
  }

  /// The refusal of any further bytes, because the limit `dataBytes` is reached; nil while further bytes are accepted.
  var refusalOfGrowth: Refusal? { state.withLock { $0.accounts.refusalOfGrowth } }

  /// Returns the refusal of `bytes` more bytes in a session; nil when they are accepted.
  func refusalOfGrowth(of id: SessionID, adding bytes: Int = 0) -> Refusal? {
    state.withLock { $0.accounts.refusalOfGrowth(of: id, adding: bytes) }
  }
}
