import Combine
import DrawTogetherModel
import Foundation
import GroupActivities

/// The model as a program: reads commands line by line and writes its state as a line of JSON after each change.
///
///     share · open LINK · point X Y · lift · image X Y BASE64 · reset · end · leave · state
///
/// The program ends at the end of its input. An error is written as a line `{"error": "…"}`.
@main
@MainActor
struct ModelProgram {
  private let canvas = Canvas(strokeColor: .green)
  private let writer = StateWriter()

  static func main() async {
    await ModelProgram().run()
  }

  private func run() async {
    let joining = Task { await canvas.joinSessions() }
    writer.observe(canvas)
    for await line in Self.lines() {
      do {
        try await perform(line.split(separator: " ").map(String.init))
      } catch {
        writer.writeError(error)
      }
    }
    joining.cancel()
    await canvas.groupSession?.leaveAndWait()
  }

  private func perform(_ words: [String]) async throws {
    switch (words.first, words.count) {
    case ("share", 1): canvas.startSharing()
    case ("open", 2):
      guard let link = URL(string: words[1]) else { throw InvalidCommand(words) }
      try await GroupActivitiesGateway.open(link)
    case ("point", 3): canvas.addPointToActiveStroke(try point(words))
    case ("lift", 1): canvas.finishStroke()
    case ("image", 4):
      guard let data = Data(base64Encoded: words[3]) else { throw InvalidCommand(words) }
      canvas.placeImage(data, at: try point(words))
    case ("reset", 1): canvas.reset()
    case ("end", 1): canvas.groupSession?.end()
    case ("leave", 1): canvas.groupSession?.leave()
    case ("state", 1): writer.writeAgain(canvas)
    default: throw InvalidCommand(words)
    }
  }

  private func point(_ words: [String]) throws -> CGPoint {
    guard let x = Double(words[1]), let y = Double(words[2]) else { throw InvalidCommand(words) }
    return CGPoint(x: x, y: y)
  }

  /// Reads lines on a thread of its own, because reading blocks the thread.
  private static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}

/// An unknown command, or one with invalid values.
struct InvalidCommand: Error, CustomStringConvertible {
  let description: String

  init(_ words: [String]) {
    description = "Unknown command or invalid values: \(words.joined(separator: " ").prefix(200))"
  }
}
