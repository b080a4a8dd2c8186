public import Combine
import Platform

/// Says whether sessions can be made (Apple's class): whether the gateway can be reached.
///
/// It asks when it is made, every 5 s, and when another gateway is named. It publishes on the main actor.
public final class GroupStateObserver: ObservableObject {
  /// Whether the gateway can be reached and takes sessions. False at first, until that is known.
  @Published public private(set) var isEligibleForGroupSession = false

  private let wakeUps = AsyncQueue<Void>()
  private let task = Guarded<[Task<Void, Never>]>([])

  /// Begins to watch.
  public init() {
    let wakeUps = wakeUps
    let watch = Task { [weak self] in
      while await wakeUps.next() != nil {
        let isReady = await GatewaySettings.shared.isReady()
        MainActorQueue.shared.async { self?.set(isReady) }
      }
    }
    let clock = Task {
      repeat { wakeUps.replaceAll(with: ()) } while (try? await Task.sleep(for: .seconds(5))) != nil
    }
    task.withLock { $0 = [watch, clock] }
    GatewaySettings.shared.addObserver(self) { wakeUps.replaceAll(with: ()) }
  }

  deinit {
    GatewaySettings.shared.removeObserver(ObjectIdentifier(self))
    for task in task.withLock({ $0 }) { task.cancel() }
  }

  @MainActor private func set(_ isEligible: Bool) {
    guard isEligible != isEligibleForGroupSession else { return }
    isEligibleForGroupSession = isEligible
  }
}

// What varies is in `@Published` and behind a lock; the rest is constant.
extension GroupStateObserver: @unchecked Sendable {}
