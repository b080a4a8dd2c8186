import Combine
import DrawTogetherModel
import Foundation
import GroupActivities

/// Writes what a model has, once for all changes of a turn.
@MainActor
final class Teller {
  private var subscriptions: Set<AnyCancellable> = []
  private var strokes: [ObjectIdentifier: AnyCancellable] = [:]
  private var session: Set<AnyCancellable> = []
  private var last: State?
  private var isDue = false

  func watch(_ canvas: Canvas) {
    canvas.objectWillChange.sink { self.tellSoon(canvas) }.store(in: &subscriptions)
    canvas.$groupSession.sink { groupSession in
      self.session = []
      groupSession?.objectWillChange.sink { self.tellSoon(canvas) }.store(in: &self.session)
    }
    .store(in: &subscriptions)
    tellSoon(canvas)
  }

  func tellAgain(_ canvas: Canvas) {
    last = nil
    tellSoon(canvas)
  }

  func tell(_ error: any Error) {
    write(["error": "\(error)"])
  }

  /// The change comes after its announcement, so what there is then is told a turn later.
  private func tellSoon(_ canvas: Canvas) {
    guard !isDue else { return }
    isDue = true
    Task {
      isDue = false
      let present = canvas.strokes + [canvas.activeStroke].compactMap { $0 }
      let known = strokes
      strokes = [:]
      for stroke in present {
        let id = ObjectIdentifier(stroke)
        strokes[id] = known[id] ?? stroke.objectWillChange.sink { self.tellSoon(canvas) }
      }
      let state = State(of: canvas)
      guard state != last else { return }
      last = state
      write(state)
    }
  }

  private func write(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      try FileHandle.standardOutput.write(contentsOf: encoder.encode(value) + Data("\n".utf8))
    } catch {
      // Whoever reads is gone, or nothing can be told any more.
      exit(1)
    }
  }
}
