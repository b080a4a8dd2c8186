public import Dispatch

/// Runs closures on other threads or later (the part of Apple's `Scheduler` that `receive(on:)` needs).
public protocol Scheduler {
  /// The options for one closure.
  associatedtype SchedulerOptions

  /// Runs a closure as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
  /// Runs a closure as soon as possible.
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }
}

/// Runs closures immediately (Apple's `ImmediateScheduler`).
public struct ImmediateScheduler: Scheduler, Sendable {
  /// There are no options.
  public typealias SchedulerOptions = Never

  /// The only instance.
  public static let shared = ImmediateScheduler()

  private init() {}

  /// Runs the closure.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    action()
  }
}

/// Runs closures in order; the main queue runs them on the main actor.
extension DispatchQueue: Scheduler {
  /// The options for one closure on a queue.
  public struct SchedulerOptions {
    /// The quality of service.
    public var qos: DispatchQoS
    /// The flags of the work item.
    public var flags: DispatchWorkItemFlags

    /// Creates options.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = []) {
      self.qos = qos
      self.flags = flags
    }
  }

  /// Runs a closure on the queue.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // Apple's function accepts closures that are not `Sendable`, too. The caller must protect state that the closure shares with
    // other threads.
    nonisolated(unsafe) let action = action
    async(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { unsafe action() }
  }
}
