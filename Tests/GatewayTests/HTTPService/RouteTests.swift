import Testing
import Wire

@testable import Gateway

@Suite("A request for a session moves the connection to the session's reactor; other requests do not")
struct RouteTests {
  private static let id = SessionID(high: 1, low: 2)

  @Test(
    "If a path belongs to a session, the connection moves to the session's reactor",
    arguments: [
      "", "/socket", "/history", "/attachments", "/attachments/6F9619FF-8B86-D011-B42D-00C04FC964FF",
      "/attachments/x",
    ])
  func session(_ path: String) {
    #expect(Route("/api/sessions/\(Self.id.text)\(path)").session == Self.id)
  }

  @Test(
    "If a path belongs to no session, the connection stays on its reactor",
    arguments: [
      "/", "/s/\(id.text)", "/healthz", "/readyz", "/metrics", "/echo", "/api/limits", "/api/sessions",
      "/api/sessions/",
      "/api/sessions/nonsense", "/api/sessions/\(id.text)/other", "/api/\(id.text)",
    ])
  func noSession(_ path: String) {
    #expect(Route(path).session == nil)
  }
}
