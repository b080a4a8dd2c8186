import FoundationEssentials
import Testing
import Networking
import Wire

@testable import Gateway

@Suite("SessionAccounts counts and limits the number and bytes of the stored sessions")
struct SessionAccountsTests {
  private static let date = Date(timeIntervalSince1970: 1_800_000_000)

  private static func id(_ number: UInt64) -> SessionID { SessionID(high: 0, low: number) }

  private static func accounts(_ adjust: (inout Limits) -> Void) -> SessionAccounts {
    var limits = Limits()
    adjust(&limits)
    return SessionAccounts(limits: limits)
  }

  @Test("`sessionsPerAddress` counts the stored sessions of one address, including ended ones")
  func sessionsPerAddress() throws {
    var accounts = Self.accounts { $0.sessionsPerAddress = 2 }
    accounts.set(SessionAccounts.Account(creator: "a"), of: Self.id(1))
    #expect(accounts.refusalOfNewSession(of: "a", date: Self.date) == nil)
    accounts.set(SessionAccounts.Account(creator: "a", hasEnded: true), of: Self.id(2))
    let refusal = try #require(accounts.refusalOfNewSession(of: "a", date: Self.date))
    #expect(refusal.code == .tooMany)
    #expect(refusal.httpStatus == 429)
    #expect((refusal.limit, refusal.actual) == (2, 2))
    #expect(accounts.refusalOfNewSession(of: "b", date: Self.date) == nil)
    #expect(accounts.refusalOfNewSession(of: nil, date: Self.date) == nil)
    accounts.forget(Self.id(1))
    #expect(accounts.refusalOfNewSession(of: "a", date: Self.date) == nil)
  }

  @Test(
    "If an address has reached its limit of sessions, `Retry-After` is the time until its first session is removed"
  )
  func retryAfter() throws {
    var accounts = Self.accounts { $0.sessionsPerAddress = 2 }
    accounts.set(
      SessionAccounts.Account(creator: "a", until: Self.date.addingTimeInterval(90_000)), of: Self.id(1))
    // A session in use does not count, because its expiry time is unknown.
    accounts.set(
      SessionAccounts.Account(creator: "a", isOpen: true, until: Self.date.addingTimeInterval(5)),
      of: Self.id(2))
    accounts.set(
      SessionAccounts.Account(creator: "b", until: Self.date.addingTimeInterval(10)), of: Self.id(3))
    #expect(accounts.refusalOfNewSession(of: "a", date: Self.date)?.retryAfterMs == 90_000_000)
    accounts.update(Self.id(1)) { $0.until = nil }
    #expect(accounts.refusalOfNewSession(of: "a", date: Self.date)?.retryAfterMs == 600_000)
  }

  @Test(
    "`sessions` limits the sessions that have not ended; `Retry-After` is the time until the first of these sessions is removed"
  )
  func sessions() throws {
    var accounts = Self.accounts { $0.sessions = 2 }
    accounts.set(
      SessionAccounts.Account(hasEnded: true, until: Self.date.addingTimeInterval(1)), of: Self.id(1))
    accounts.set(SessionAccounts.Account(until: Self.date.addingTimeInterval(70)), of: Self.id(2))
    #expect(accounts.refusalOfNewSession(of: nil, date: Self.date) == nil)
    accounts.set(SessionAccounts.Account(), of: Self.id(3))
    let refusal = try #require(accounts.refusalOfNewSession(of: nil, date: Self.date))
    #expect((refusal.httpStatus, refusal.limit, refusal.actual) == (503, 2, 2))
    #expect(refusal.retryAfterMs == 70_000)
    accounts.update(Self.id(3)) { $0.hasEnded = true }
    #expect(accounts.held == 1)
    #expect(accounts.totals.sessions == 3)
  }

  @Test(
    "`dataBytes` limits the bytes of all sessions on disk, and `dataBytesPerAddress` those of one address"
  )
  func bytes() throws {
    var accounts = Self.accounts {
      $0.dataBytes = 1000
      $0.dataBytesPerAddress = 600
    }
    accounts.set(SessionAccounts.Account(creator: "a", logBytes: 100, attachmentBytes: 200), of: Self.id(1))
    accounts.set(SessionAccounts.Account(creator: "b"), of: Self.id(2))
    #expect(accounts.refusalOfGrowth(of: Self.id(1), adding: 300) == nil)
    let own = try #require(accounts.refusalOfGrowth(of: Self.id(1), adding: 301))
    #expect((own.httpStatus, own.limit, own.actual) == (507, 600, 601))
    #expect(accounts.refusalOfGrowth(of: Self.id(2), adding: 301) == nil)
    accounts.update(Self.id(1)) { $0.logBytes = 400 }
    #expect(accounts.refusalOfNewSession(of: "a", date: Self.date)?.code == .storageFull)
    #expect(accounts.refusalOfNewSession(of: "b", date: Self.date) == nil)
    #expect(accounts.refusalOfGrowth == nil)
    accounts.update(Self.id(2)) { $0.attachmentBytes = 400 }
    let all = try #require(accounts.refusalOfGrowth)
    #expect((all.code, all.limit, all.actual) == (.storageFull, 1000, 1000))
    accounts.forget(Self.id(1))
    #expect(accounts.bytes == 400)
    #expect(accounts.refusalOfGrowth == nil)
  }

  @Test("All addresses of an IPv6 /64 have one pseudonym; another address or key gives another pseudonym")
  func pseudonyms() throws {
    let key = [UInt8](repeating: 7, count: AddressPseudonyms.keyLength)
    let pseudonyms = AddressPseudonyms(key: key)
    let pseudonym = { (text: String) in pseudonyms.pseudonym(of: try #require(IPAddress(text))) }
    #expect(try pseudonym("192.0.2.1") == pseudonym("::ffff:192.0.2.1"))
    #expect(try pseudonym("192.0.2.1") != pseudonym("192.0.2.2"))
    #expect(try pseudonym("2001:db8::1") == pseudonym("2001:db8::ffff:1"))
    #expect(try pseudonym("2001:db8::1") != pseudonym("2001:db8:0:1::1"))
    #expect(try pseudonym("192.0.2.1").utf8.count == 32)
    let other = AddressPseudonyms(key: [UInt8](repeating: 8, count: AddressPseudonyms.keyLength))
    #expect(try other.pseudonym(of: #require(IPAddress("192.0.2.1"))) != pseudonym("192.0.2.1"))
  }

  @Test(
    "`report` updates the log and attachment bytes of a session in all sums, and returns a refusal at a limit"
  )
  func report() {
    var accounts = Self.accounts { ($0.dataBytes, $0.dataBytesPerAddress) = (100, 50) }
    #expect(accounts.report(Self.id(1), logBytes: 70, attachmentBytes: 0) == nil, "an unknown session")
    #expect(accounts.bytes == 0)
    accounts.set(SessionAccounts.Account(creator: "a"), of: Self.id(1))
    accounts.set(SessionAccounts.Account(), of: Self.id(2))
    #expect(accounts.report(Self.id(1), logBytes: 20, attachmentBytes: 10) == nil)
    #expect(accounts.report(Self.id(2), logBytes: 30, attachmentBytes: 0) == nil)
    #expect((accounts.totals.logBytes, accounts.totals.attachmentBytes) == (50, 10))
    #expect(accounts[Self.id(1)]?.isOpen == true)
    #expect(accounts.report(Self.id(1), logBytes: 20, attachmentBytes: 30)?.limit == 50)
    #expect(accounts.report(Self.id(2), logBytes: 50, attachmentBytes: 0)?.limit == 100)
    #expect(accounts.report(Self.id(1), logBytes: 5, attachmentBytes: 0) == nil)
    #expect(accounts.bytes == 55)
  }
}
