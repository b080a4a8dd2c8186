import Combine
import DrawTogetherModel
import Foundation
import GroupActivities

/// The model, told by lines what somebody does, and telling by lines of JSON what it has whenever that changes.
///
///     share · open LINK · point X Y · lift · image X Y BASE64 · reset · end · leave · state
///
/// It ends with its input. What goes wrong is a line `{"error": "…"}`.
@main
@MainActor
struct ModelProgram {
  private let canvas = Canvas(strokeColor: .green)
  private let teller = Teller()

  static func main() async {
    await ModelProgram().run()
  }

  private func run() async {
    let joining = Task { await canvas.joinSessions() }
    teller.watch(canvas)
    for await line in Self.lines() {
      do {
        try await perform(line.split(separator: " ").map(String.init))
      } catch {
        teller.tell(error)
      }
    }
    joining.cancel()
    await canvas.groupSession?.leaveAndWait()
  }

  private func perform(_ words: [String]) async throws {
    switch (words.first, words.count) {
    case ("share", 1): canvas.startSharing()
    case ("open", 2):
      guard let link = URL(string: words[1]) else { throw Wrong(words) }
      try await GroupActivitiesGateway.open(link)
    case ("point", 3): canvas.addPointToActiveStroke(try place(words))
    case ("lift", 1): canvas.finishStroke()
    case ("image", 4):
      guard let data = Data(base64Encoded: words[3]) else { throw Wrong(words) }
      canvas.placeImage(data, at: try place(words))
    case ("reset", 1): canvas.reset()
    case ("end", 1): canvas.groupSession?.end()
    case ("leave", 1): canvas.groupSession?.leave()
    case ("state", 1): teller.tellAgain(canvas)
    default: throw Wrong(words)
    }
  }

  private func place(_ words: [String]) throws -> CGPoint {
    guard let x = Double(words[1]), let y = Double(words[2]) else { throw Wrong(words) }
    return CGPoint(x: x, y: y)
  }

  /// Lines are waited for by a thread of their own, since that holds the thread.
  private static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}

/// A line that is no command, or one whose values are wrong.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ words: [String]) {
    description = "this is no command, or its values are wrong: \(words.joined(separator: " ").prefix(200))"
  }
}
