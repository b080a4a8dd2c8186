import Combine
import DrawTogetherModel
import Foundation
import GroupActivities

/// Writes the state of a model, once for all changes within one job of the main actor.
@MainActor
final class StateWriter {
  private var subscriptions: Set<AnyCancellable> = []
  private var strokes: [ObjectIdentifier: AnyCancellable] = [:]
  private var session: Set<AnyCancellable> = []
  private var last: State?
  private var isScheduled = false

  func observe(_ canvas: Canvas) {
    canvas.objectWillChange.sink { self.scheduleWrite(canvas) }.store(in: &subscriptions)
    canvas.$groupSession.sink { groupSession in
      self.session = []
      groupSession?.objectWillChange.sink { self.scheduleWrite(canvas) }.store(in: &self.session)
    }
    .store(in: &subscriptions)
    scheduleWrite(canvas)
  }

  func writeAgain(_ canvas: Canvas) {
    last = nil
    scheduleWrite(canvas)
  }

  func writeError(_ error: any Error) {
    write(["error": "\(error)"])
  }

  /// Schedules a write of the state in a later job. `objectWillChange` is sent before the change, so an immediate write would
  /// contain the old state.
  private func scheduleWrite(_ canvas: Canvas) {
    guard !isScheduled else { return }
    isScheduled = true
    Task {
      isScheduled = false
      let present = canvas.strokes + [canvas.activeStroke].compactMap { $0 }
      let known = strokes
      strokes = [:]
      for stroke in present {
        let id = ObjectIdentifier(stroke)
        strokes[id] = known[id] ?? stroke.objectWillChange.sink { self.scheduleWrite(canvas) }
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
      // The program that reads the output has ended.
      exit(1)
    }
  }
}
