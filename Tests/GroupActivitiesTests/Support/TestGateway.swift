import SessionClient
import Combine
import Dispatch
import FoundationEssentials
import GroupActivities
import Synchronization
import Testing
import Platform
import Wire

@testable import Gateway

/// A gateway of a test's own, in this process, with a folder that goes when it does; and participants in its sessions.
final class TestGateway: Sendable {
  private let gateway: Gateway
  private let folder: String
  let url: URL

  init(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) throws {
    folder = FileManager.default.temporaryDirectory.path + "/drawtogether-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/public", withIntermediateDirectories: true)
    try Data("<!doctype html><title>Draw</title>".utf8).write(
      to: URL(filePath: folder + "/public/index.html"))
    var configuration = GatewayConfiguration()
    configuration.http = ListenAddress(host: "127.0.0.1", port: 0)
    configuration.https = nil
    configuration.dataDirectory = folder + "/data"
    configuration.publicDirectory = folder + "/public"
    configuration.reactors = 1
    configuration.limits.sessionsPerAddressPerMinute = 10_000
    adjust(&configuration)
    gateway = try Gateway(configuration: configuration, log: Log(level: .error, format: .text)) { $0 }
    let http = try #require(try gateway.start().http)
    url = try #require(URL(string: "http://\(http)"))
    try GroupActivitiesGateway.use(url)
  }

  deinit {
    gateway.stop()
    gateway.waitUntilStopped()
    // What cannot be removed stays in the temporary folder, and harms nobody.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A session that a page has made, and its link.
  func makeLink(_ activity: Activity = .standard) async throws -> URL {
    let api = GatewayAPI(try GatewayAddress(url))
    return SessionLink(session: try await api.makeSession(activity).id, at: api.gateway).url
  }

  /// One more participant's session, not joined yet.
  func session(at link: URL) async throws -> GroupSession<DrawTogether> {
    try await GroupActivitiesGateway.session(at: link)
  }

  /// One more participant, joined.
  func join(_ link: URL) async throws -> GroupSession<DrawTogether> {
    let session = try await self.session(at: link)
    session.join()
    try await session.waitForState(.joined)
    return session
  }
}

/// The activity of the seeds.
struct DrawTogether: GroupActivity {
  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Draw Together"
    metadata.type = .generic
    return metadata
  }
}

/// The message of the seeds; a point is two numbers, as `CGPoint` is in JSON.
struct UpsertStrokeMessage: Codable, Equatable {
  let id: UUID
  let color: Int
  let point: [Double]
}

/// A message without an `id`: not kept for those who come later.
struct Remark: Codable, Equatable {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

/// Something that a test waited for did not come about.
struct WaitTimeout: Error, CustomStringConvertible {
  let description: String
}

/// Far longer than anything takes on a busy machine, under a sanitizer too.
private let timeout = DispatchTimeInterval.seconds(120)

/// Gives what the work gives, or fails when that takes too long.
func withTimeout<Value: Sendable>(
  _ what: String, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let isLate = Atomic(false)
  let task = Task { try await work() }
  let timer = DispatchSource.makeTimerSource()
  timer.setEventHandler {
    isLate.store(true, ordering: .sequentiallyConsistent)
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
  // What was cancelled may give something all the same.
  guard !isLate.load(ordering: .sequentiallyConsistent) else { throw WaitTimeout(description: what) }
  return try result.get()
}

extension GroupSession where ActivityType: Sendable {
  /// Waits until it is in that state.
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

  /// Waits until so many are in it.
  func waitForParticipants(_ count: Int) async throws {
    try await withTimeout("\(count) participants") {
      for await people in self.$activeParticipants.values where people.count == count { return }
    }
  }
}

extension GroupSessionMessenger {
  /// The next messages of a type.
  func next<Message: Codable & Sendable>(_ count: Int, of type: Message.Type) async throws -> [Message] {
    try await Self.take(count, from: messages(of: type))
  }

  /// The next data.
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
