import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("PROTOCOL 2.2: after a WebSocket is closed, the client reconnects or ends")
struct CloseCodeTests {
  /// A received close frame, and the expected reaction of the client.
  struct Close: CustomTestStringConvertible {
    let code: UInt16
    var reason = ""
    var wasJoined = true
    var events: [String] = ["away"]
    var opens: Duration?
    var testDescription: String { "\(code) \(reason)" }
  }

  @Test(
    "PROTOCOL 2.2: after each close code, the client reconnects or ends as specified",
    arguments: [
      Close(code: 1000, events: ["ended: left"]),
      Close(code: 1001, opens: .zero), Close(code: 1005, opens: .zero), Close(code: 1011, opens: .zero),
      // Up to half a second of jitter is added, so that clients do not all reconnect at the same time.
      Close(code: 1012, reason: #"{"code":"unavailable","retryAfterMs":2000}"#, opens: .milliseconds(2375)),
      Close(code: 1013, reason: #"{"retryAfterMs":99999999999999999999}"#, opens: .zero),
      Close(code: 1013, reason: #"{"retryAfterMs":3600000}"#, opens: .milliseconds(60_375)),
      Close(code: 1012, reason: "<html>", opens: .zero),
      Close(
        code: 1002,
        events: [#"ended: refused(code: 1002, detail: "The gateway closed the connection with code 1002.")"#]),
      Close(
        code: 1008, reason: #"{"code":"bad-entry","detail":"No."}"#,
        events: [#"ended: refused(code: 1008, detail: "No.")"#]),
      Close(code: 4001, opens: .zero), Close(code: 4008, opens: .zero), Close(code: 4013, opens: .zero),
      Close(code: 4004, events: ["ended: notFound"]), Close(code: 4010, events: ["ended: ended"]),
      Close(code: 4005, wasJoined: false, events: ["ended: full"]),
      Close(code: 4005, opens: .milliseconds(1375)),
      Close(code: 4009, opens: .zero),
      Close(code: 4026, wasJoined: false, events: ["ended: versionNotSpoken"]),
      Close(code: 4029, reason: #"{"retryAfterMs":100}"#, opens: .milliseconds(5375)),
      Close(code: 4999, opens: .zero),
    ])
  func closes(_ close: Close) {
    var harness = SessionHarness()
    if close.wasJoined {
      harness = .live()
    } else {
      harness.session.join(now: harness.now)
      harness.drainEffects()
      harness.open()
      harness.clear()
    }
    harness.closed(close.code, close.reason)
    #expect(harness.events == close.events)
    #expect(harness.opens == (close.opens.map { [$0] } ?? []))
    #expect(harness.isFinished == (close.opens == nil))
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
