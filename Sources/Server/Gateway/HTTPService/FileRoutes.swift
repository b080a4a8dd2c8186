internal import HTTP
internal import Primitives
internal import Platform

/// Answers requests for the web page and its files.
struct FileRoutes: Sendable {
  private let files: StaticFiles
  private let origins: Origins

  init(_ files: StaticFiles, origins: Origins) {
    self.files = files
    self.origins = origins
  }

  /// Returns the answer to a request for a file of the page.
  func answer(to head: RequestHead, from client: ForwardedClient) -> Answer {
    let answer = files.answer(
      to: head, isCrossSiteReferral: origins.isCrossSiteReferral(head, forwarded: client.authority),
      now: HTTPDate(secondsSinceEpoch: Int(WallTime.now().secondsSince1970)))
    return answer.map { Answer($0) } ?? .nothingHere(for: head)
  }
}
