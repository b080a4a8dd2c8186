import Combine
import Dispatch
import FoundationEssentials
import GroupActivities
import Synchronization

/// The error of a wait that took longer than the timeout, or of a sequence that ended too early.
struct WaitTimeout: Error, CustomStringConvertible {
  let description: String
}

/// The timeout of each wait, far longer than a wait takes on a busy machine, even under a sanitizer.
private let timeout = DispatchTimeInterval.seconds(120)

/// Returns the result of an operation, or cancels the operation after the timeout and throws `WaitTimeout` with the
/// expectation as its description.
func withTimeout<Value: Sendable>(
  _ expectation: String, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let hasTimedOut = Atomic(false)
  let task = Task { try await operation() }
  let timer = DispatchSource.makeTimerSource()
  timer.setEventHandler {
    hasTimedOut.store(true, ordering: .sequentiallyConsistent)
    task.cancel()
  }
  timer.schedule(deadline: .now() + timeout)
  timer.activate()
  defer { timer.cancel() }
  let result = await withTaskCancellationHandler {
    await task.result
  } onCancel: {
    task.cancel()
  }
  // A cancelled operation may still return a value.
  guard !hasTimedOut.load(ordering: .sequentiallyConsistent) else {
    throw WaitTimeout(description: expectation)
  }
  return try result.get()
}

extension GroupSession where ActivityType: Sendable {
  /// Waits until the session is in the given state.
  func waitForState(_ state: State) async throws {
    let seen = Mutex<[String]>([])
    do {
      try await withTimeout("\(state)") {
        for await now in self.$state.values {
          seen.withLock { $0.append("\(now)") }
          if now == state { return }
        }
      }
    } catch let error as WaitTimeout {
      throw WaitTimeout(description: "\(error), but \(seen.withLock { $0 })")
    }
  }

  /// Waits until the session has the given number of active participants.
  func waitForParticipants(_ count: Int) async throws {
    try await withTimeout("\(count) participants") {
      for await people in self.$activeParticipants.values where people.count == count { return }
    }
  }
}

extension GroupSessionMessenger {
  /// Returns the next messages of a type.
  func next<Message: Codable & Sendable>(_ count: Int, of type: Message.Type) async throws -> [Message] {
    try await Self.take(count, from: messages(of: type))
  }

  /// Returns the next messages sent as `Data`.
  func next(_ count: Int, of type: Data.Type) async throws -> [Data] {
    try await Self.take(count, from: messages(of: type))
  }

  private static func take<Message: Codable & Sendable>(
    _ count: Int, from messages: Messages<Message>
  ) async throws -> [Message] {
    let seen = Mutex<[Message]>([])
    do {
      return try await withTimeout("\(count) of \(Message.self)") {
        for await (message, _) in messages {
          let all = seen.withLock { seen in
            seen.append(message)
            return seen
          }
          if all.count == count { return all }
        }
        throw WaitTimeout(description: "the sequence ended")
      }
    } catch let error as WaitTimeout {
      let seen = seen.withLock { $0 }
      throw WaitTimeout(description: "\(error), but \(seen.count): \(seen.prefix(20))")
    }
  }
}

extension GroupActivity where Self: Sendable {
  /// Returns the next session that is offered.
  static func nextSession() async throws -> GroupSession<Self> {
    try await withTimeout("a session of \(activityIdentifier)") {
      for await session in sessions() { return session }
      throw WaitTimeout(description: "sessions() ended")
    }
  }
}
