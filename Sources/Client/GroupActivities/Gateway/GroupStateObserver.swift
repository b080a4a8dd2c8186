public import Combine
import Platform

/// Says whether sessions can be made (Apple's class): whether the gateway can be reached.
///
/// It asks when it is made, every 5 s, and when another gateway is named. It publishes on the main actor.
public final class GroupStateObserver: ObservableObject {
  /// Whether the gateway can be reached and takes sessions. False at first, until that is known.
  @Published public private(set) var isEligibleForGroupSession = false

  private let wakes = Inlet<Void>()
  private let task = Guarded<[Task<Void, Never>]>([])

  /// Begins to watch.
  public init() {
    let wakes = wakes
    let watch = Task { [weak self] in
      while await wakes.next() != nil {
        let isReady = await GatewayChoice.shared.isReady()
        MainActorQueue.shared.async { self?.set(isReady) }
      }
    }
    let clock = Task {
      repeat { wakes.replace(with: ()) } while (try? await Task.sleep(for: .seconds(5))) != nil
    }
    task.withLock { $0 = [watch, clock] }
    GatewayChoice.shared.observe(self) { wakes.replace(with: ()) }
  }

  deinit {
    GatewayChoice.shared.ignore(ObjectIdentifier(self))
    for task in task.withLock({ $0 }) { task.cancel() }
  }

  @MainActor private func set(_ isEligible: Bool) {
    guard isEligible != isEligibleForGroupSession else { return }
    isEligibleForGroupSession = isEligible
  }
}

// What varies is in `@Published` and behind a lock; the rest is constant.
extension GroupStateObserver: @unchecked Sendable {}
