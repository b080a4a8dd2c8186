import Testing
import Wire

@testable import Gateway

@Suite("Routes")
struct RouteTests {
  private static let id = SessionID(high: 1, low: 2)

  @Test(
    "A connection moves to the session's reactor if the path names a session",
    arguments: [
      "", "/socket", "/attachments", "/attachments/6F9619FF-8B86-D011-B42D-00C04FC964FF", "/attachments/x",
    ])
  func session(_ path: String) {
    #expect(Route("/api/sessions/\(Self.id.text)\(path)").session == Self.id)
  }

  @Test(
    "A connection stays in its reactor for all other paths",
    arguments: [
      "/", "/s/\(id.text)", "/healthz", "/readyz", "/metrics", "/echo", "/api/limits", "/api/sessions",
      "/api/sessions/",
      "/api/sessions/nonsense", "/api/sessions/\(id.text)/other", "/api/\(id.text)",
    ])
  func noSession(_ path: String) {
    #expect(Route(path).session == nil)
  }
}
