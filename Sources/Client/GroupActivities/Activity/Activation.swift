import SessionClient
import Platform
import Wire

/// The creation of a session for an activity.
struct Activation {
  let identifier: String
  let metadata: GroupActivityMetadata
  let payload: JSONValue?

  /// Creates the session on the gateway and offers it to this program's `sessions()`.
  ///
  /// - Throws: `ConnectionError`.
  func perform() async throws {
    let gateway = try GatewaySettings.shared.address()
    let activity = Activity(
      identifier: identifier, title: metadata.title ?? identifier, type: metadata.type.name, payload: payload)
    do throws(WireError) {
      try activity.validate()
    } catch {
      throw GroupActivitiesGateway.ConnectionError.activity(error.detail)
    }
    let endsWhenLeft = metadata.lifetimePolicy == .endsWhenInitiatorLeaves
    let key = Key(activity: activity, gateway: gateway)
    try await Self.activations.value(of: key) {
      let (object, former) = try await Self.make(activity, at: gateway)
      if let former {
        ActivityRegistry.shared.supersede(former, by: SessionLink(session: object.id, at: gateway))
      }
      ActivityRegistry.shared.offer(object, at: gateway, isLocallyInitiated: true, endsWhenLeft: endsWhenLeft)
    }
  }

  private static func make(_ activity: Activity, at gateway: GatewayAddress) async throws -> (
    SessionObject, SessionID?
  ) {
    let api = GatewayAPI(gateway)
    do throws(SessionClientError) {
      guard let former = ActivityRegistry.shared.predecessor(of: activity.identifier, at: gateway) else {
        return (try await api.makeSession(activity), nil)
      }
      do throws(SessionClientError) {
        return (try await api.makeSession(activity, following: former), former.session)
      } catch {
        // A session that no longer exists cannot have a successor, so the new session gets no predecessor.
        guard case .refused(let refusal) = error, [.ended, .notFound, .tokenNeeded].contains(refusal.code)
        else {
          throw error
        }
        return (try await api.makeSession(activity), nil)
      }
    } catch {
      throw GroupActivitiesGateway.ConnectionError(error)
    }
  }

  /// Waits until no activation is in progress.
  static func waitForAll() async {
    await activations.waitForAll()
  }

  private struct Key: Hashable {
    let text: [UInt8]
    let gateway: GatewayAddress

    init(activity: Activity, gateway: GatewayAddress) {
      text = WireJSON.encode(activity)
      self.gateway = gateway
    }
  }
  private static let activations = TaskCoalescer<Key>()
}

/// Runs one task for all concurrent requests with the same key.
private final class TaskCoalescer<Key: Hashable & Sendable>: Sendable {
  private let running = Guarded<[Key: Task<Void, any Error>]>([:])

  func value(of key: Key, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let task = running.withLock { tasks in
      if let task = tasks[key] { return task }
      let task = Task {
        defer { self.running.withLock { $0[key] = nil } }
        try await work()
      }
      tasks[key] = task
      return task
    }
    try await task.value
  }

  func waitForAll() async {
    for task in running.withLock({ Array($0.values) }) {
      // The task's error is ignored here, because the callers of `value(of:_:)` receive it.
      _ = try? await task.value
    }
  }
}
