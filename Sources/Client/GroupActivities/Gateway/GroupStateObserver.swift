public import Combine
import Platform

/// An observable object that reports whether sessions can be created, that is, whether the gateway can be reached (Apple's
/// class).
///
/// The observer sends a request to the gateway when the observer is created, every 5 s, and when another gateway is set. It
/// publishes on the main actor.
public final class GroupStateObserver: ObservableObject {
  /// True if the gateway can be reached and accepts sessions; false until the first answer.
  @Published public private(set) var isEligibleForGroupSession = false

  private let wakeUps = AsyncQueue<Void>()
  private let task = Guarded<[Task<Void, Never>]>([])

  /// Starts to observe the gateway.
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

// Locks and `@Published` protect all mutable state. All other properties are constant.
extension GroupStateObserver: @unchecked Sendable {}
