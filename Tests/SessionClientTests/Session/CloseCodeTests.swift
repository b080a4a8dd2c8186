import SessionClient
import FoundationEssentials
import TestSupport
import Testing
import Platform
import Wire

@Suite("PROTOCOL 2.2: after a WebSocket is closed, the client reconnects or ends")
struct CloseCodeTests {
  /// A row of `Tests/Vectors/closeCodes.json`: a received close frame, and the reaction of a client.
  struct Close: Decodable, Sendable, CustomTestStringConvertible {
    let code: UInt16
    let reason: String
    let action: String
    let afterMs: Int?
    let end: String?
    let isJoined: Bool?

    var testDescription: String { "\(code) \(reason)\(isJoined.map { ", joined before: \($0)" } ?? "")" }

    /// The expected delay before the next socket; nil if there is none.
    var delay: Duration? {
      // Up to half a second of jitter is added, so that clients do not all reconnect at the same time. The harness uses 75 %.
      action == "end" ? nil : afterMs.map { .milliseconds($0 + min(500, $0) * 3 / 4) }
    }

    /// The expected event.
    var event: String {
      switch end {
      case nil: "away"
      case "not-found": "ended: notFound"
      case "session-full": "ended: full"
      case "unsupported-version": "ended: versionNotSpoken"
      case "refused": #"ended: refused(code: \#(code), detail: "\#(detail)")"#
      case let end?: "ended: \(end)"
      }
    }

    private struct Reason: Decodable {
      let detail: String?
    }

    private var detail: String {
      // A reason that is not JSON has no detail.
      let reason = try? JSONDecoder().decode(Reason.self, from: Data(reason.utf8))
      return reason?.detail ?? "The gateway closed the connection with code \(code)."
    }
  }

  private struct CloseCodeVectors: Decodable {
    let closes: [Close]
  }

  private static let rows: [Close] = {
    let vectors: CloseCodeVectors = Vectors.load("closeCodes")
    return vectors.closes
  }()

  private func closed(_ code: UInt16, _ reason: String, isJoined: Bool = true) -> SessionHarness {
    var harness = SessionHarness()
    if isJoined {
      harness = .live()
    } else {
      harness.session.join(now: harness.now)
      harness.drainEffects()
      harness.open()
      harness.clear()
    }
    harness.closed(code, reason)
    return harness
  }

  @Test("PROTOCOL 2.2: after each close code, the client reconnects or ends as specified", arguments: rows)
  func closes(_ close: Close) {
    let harness = closed(close.code, close.reason, isJoined: close.isJoined ?? true)
    #expect(harness.events == [close.event])
    #expect(harness.opens == (close.delay.map { [$0] } ?? []))
    #expect(harness.isFinished == (close.delay == nil))
  }

  @Test("PROTOCOL 2.2: after 4009, the next join has no token; after other codes, it has the token")
  func tokens() {
    for (code, token) in [(4009, nil), (4013, SessionHarness.token)] as [(UInt16, Token?)] {
      var harness = closed(code, "")
      harness.open()
      #expect(harness.resume?.token == token)
    }
  }

  @Test("PROTOCOL 2.2: a session that was never joined ends as after a join, if the close code is final")
  func neverJoinedCloses() {
    for close in Self.rows where close.action == "end" && close.isJoined == nil {
      #expect(closed(close.code, close.reason, isJoined: false).events == [close.event])
    }
  }

  @Test("A delay that is out of range is ignored")
  func delayOutOfRange() {
    #expect(closed(1013, #"{"retryAfterMs":99999999999999999999}"#).opens == [.zero])
  }

  @Test(
    "A permanent connection failure ends a membership that never joined; a joined membership reconnects"
  )
  func neverJoined() {
    let ends: [(SocketEnd, String)] = [
      (.notTrusted("old"), #"ended: notTrusted("old")"#),
      (.noGateway("a shop"), #"ended: noGateway("a shop")"#),
      (.refused(status: 421, detail: "no", retryAfter: nil), #"ended: refused(code: 421, detail: "no")"#),
      (.refused(status: 404, detail: "no", retryAfter: nil), "ended: notFound"),
      (.refused(status: 503, detail: "no", retryAfter: .seconds(3)), "trouble: no"),
      (.broken("no"), "trouble: no"),
    ]
    for (end, words) in ends {
      var harness = SessionHarness()
      harness.session.join(now: harness.now)
      harness.session.closed(end, now: harness.now)
      harness.drainEffects()
      #expect(harness.events == [words])
      #expect(harness.isFinished == words.hasPrefix("ended"))
      var member = SessionHarness.live()
      member.session.closed(end, now: member.now)
      member.drainEffects()
      #expect(member.events == ["away"])
    }
  }
}
