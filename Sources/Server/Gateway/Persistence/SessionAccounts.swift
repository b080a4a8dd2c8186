internal import FoundationEssentials
internal import SessionCore
internal import Wire

/// The stored sessions: their number and bytes, in total and by the pseudonym of the address that created them.
///
/// A value that does not read clocks or disks. `SessionLedger` shares it between threads.
struct SessionAccounts {
  /// The account of one stored session: its creator, its bytes and its expiry time.
  struct Account: Equatable {
    /// The pseudonym of the address that created the session; nil if the sessions of that address are not counted.
    var creator: String?
    /// The length of the session's log in bytes.
    var logBytes = 0
    /// The bytes of the session's attachments, including bytes that uploads have reserved.
    var attachmentBytes = 0
    /// True when the session has ended and is still stored.
    var hasEnded = false
    /// True while the session is in memory. In this state, its reactor reports its bytes, and its expiry time is unknown.
    var isOpen = false
    /// The expiry time of the session according to its records; nil if unknown.
    var until: Date?

    var bytes: Int { logBytes + attachmentBytes }
  }

  /// The sums over all sessions that one address created.
  private struct Creator {
    var sessions: Set<SessionID> = []
    var bytes = 0
  }

  private let limits: Limits
  private var accounts: [SessionID: Account] = [:]
  private var creators: [String: Creator] = [:]
  private(set) var totals = StoredTotals()
  /// The number of sessions that have not ended.
  private(set) var held = 0

  init(limits: Limits) {
    self.limits = limits
  }

  /// The sum of the bytes of all sessions.
  var bytes: Int { totals.logBytes + totals.attachmentBytes }

  /// Returns the account of a session; nil when the session is not stored.
  subscript(id: SessionID) -> Account? { accounts[id] }

  /// Adds the account of a session, or replaces it.
  mutating func set(_ account: Account, of id: SessionID) {
    forget(id)
    accounts[id] = account
    totals.sessions += 1
    totals.logBytes += account.logBytes
    totals.attachmentBytes += account.attachmentBytes
    if !account.hasEnded { held += 1 }
    guard let creator = account.creator else { return }
    creators[creator, default: Creator()].sessions.insert(id)
    creators[creator]?.bytes += account.bytes
  }

  /// Changes the account of a stored session.
  mutating func update(_ id: SessionID, _ change: (inout Account) -> Void) {
    guard var account = accounts[id] else { return }
    let before = account
    change(&account)
    guard account != before else { return }
    accounts[id] = account
    totals.logBytes += account.logBytes - before.logBytes
    totals.attachmentBytes += account.attachmentBytes - before.attachmentBytes
    held += (account.hasEnded ? 0 : 1) - (before.hasEnded ? 0 : 1)
    if let creator = account.creator { creators[creator]?.bytes += account.bytes - before.bytes }
  }

  /// Updates the sizes of the log and the attachments of a loaded session.
  ///
  /// - Returns: the reason for which the session must not grow; nil if it may grow.
  mutating func report(_ id: SessionID, logBytes: Int, attachmentBytes: Int) -> Refusal? {
    guard let index = accounts.index(forKey: id) else { return dataRefusal(of: nil, adding: 0) }
    let before = accounts.values[index]
    accounts.values[index].isOpen = true
    accounts.values[index].logBytes = logBytes
    accounts.values[index].attachmentBytes = attachmentBytes
    totals.logBytes += logBytes - before.logBytes
    totals.attachmentBytes += attachmentBytes - before.attachmentBytes
    if let creator = before.creator { creators[creator]?.bytes += logBytes + attachmentBytes - before.bytes }
    return dataRefusal(of: before.creator, adding: 0)
  }

  /// Removes the account of a session.
  mutating func forget(_ id: SessionID) {
    guard let account = accounts.removeValue(forKey: id) else { return }
    totals.sessions -= 1
    totals.logBytes -= account.logBytes
    totals.attachmentBytes -= account.attachmentBytes
    if !account.hasEnded { held -= 1 }
    guard let creator = account.creator, var entry = creators.removeValue(forKey: creator) else { return }
    entry.sessions.remove(id)
    entry.bytes -= account.bytes
    if !entry.sessions.isEmpty { creators[creator] = entry }
  }

  // MARK: - Limits

  /// Decides whether a new session may be created.
  ///
  /// - Parameters:
  ///   - creator: the pseudonym of the client's address; nil if the sessions of that address are not counted.
  ///   - date: the present time.
  /// - Returns: the refusal; nil when the session may be created.
  func refusalOfNewSession(of creator: String?, date: Date) -> Refusal? {
    if held >= limits.sessions {
      var refusal = Refusal(
        .tooMany, "This gateway has \(limits.sessions) sessions, which is its maximum.",
        limit: limits.sessions, actual: held)
      refusal.retryAfterMs = wait(for: accounts.values.lazy.filter { !$0.hasEnded }, date: date)
      return refusal
    }
    if let creator, let entry = creators[creator], entry.sessions.count >= limits.sessionsPerAddress {
      var refusal = Refusal(
        .tooMany,
        "This gateway stores \(entry.sessions.count) sessions that were created from your address; "
          + "the limit for one address is \(limits.sessionsPerAddress).",
        limit: limits.sessionsPerAddress, actual: entry.sessions.count)
      refusal.retryAfterMs = wait(for: entry.sessions.lazy.compactMap { accounts[$0] }, date: date)
      refusal.status = 429
      return refusal
    }
    return dataRefusal(of: creator, adding: 0)
  }

  /// The refusal of any further bytes, because the limit `dataBytes` is reached; nil while further bytes are accepted.
  var refusalOfGrowth: Refusal? { dataRefusal(of: nil, adding: 0) }

  /// Returns the refusal of `bytes` more bytes in a session; nil when they are accepted.
  func refusalOfGrowth(of id: SessionID, adding bytes: Int) -> Refusal? {
    dataRefusal(of: accounts[id]?.creator, adding: bytes)
  }

  private func dataRefusal(of creator: String?, adding added: Int) -> Refusal? {
    if Self.exceeds(bytes, added, limits.dataBytes) {
      return Refusal(
        .storageFull,
        "This gateway stores \(bytes) bytes of sessions and attachments; the limit is \(limits.dataBytes).",
        limit: limits.dataBytes, actual: bytes + added)
    }
    guard let creator, let own = creators[creator]?.bytes,
      Self.exceeds(own, added, limits.dataBytesPerAddress)
    else { return nil }
    return Refusal(
      .storageFull,
      "The sessions that were created from the same address use \(own) bytes together; "
        + "the limit is \(limits.dataBytesPerAddress). Remove attachments or other content, or end a session.",
      limit: limits.dataBytesPerAddress, actual: own + added)
  }

  /// Returns true if `added` more bytes must be refused. At the limit, even zero more bytes are refused.
  private static func exceeds(_ bytes: Int, _ added: Int, _ limit: Int) -> Bool {
    bytes >= limit || added > limit - bytes
  }

  /// Returns the milliseconds until the first of these sessions expires. If no expiry time is known, returns the time for which
  /// the gateway keeps a session without content (`emptySessionKeepSeconds`).
  private func wait(for accounts: some Sequence<Account>, date: Date) -> UInt64 {
    let earliest = accounts.lazy.filter { !$0.isOpen }.compactMap(\.until).min()
    let seconds =
      earliest.map { max(1, $0.timeIntervalSince(date)) }
      ?? Double(limits.keepSeconds(retainedBytes: 0, isDamaged: false))
    return UInt64(seconds.rounded(.up)) * 1000
  }
}
