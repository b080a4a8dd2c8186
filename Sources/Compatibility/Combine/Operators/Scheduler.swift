public import Dispatch

/// Apple's `Scheduler`, as far as `receive(on:)` needs it: runs closures elsewhere or later.
public protocol Scheduler {
  /// What can be said about a closure.
  associatedtype SchedulerOptions

  /// Runs a closure as soon as it can.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
  /// Runs a closure as soon as it can.
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }
}

/// Apple's `ImmediateScheduler`: runs closures at once.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// There is nothing to say.
  public typealias SchedulerOptions = Never

  /// The only one there is.
  public static let shared = ImmediateScheduler()

  private init() {}

  /// Runs the closure.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    action()
  }
}

/// A queue runs closures one after the other, the main queue on the main actor.
extension DispatchQueue: Scheduler {
  /// What can be said about a closure on a queue.
  public struct SchedulerOptions {
    /// How urgent it is.
    public var qos: DispatchQoS
    /// What else the queue is told.
    public var flags: DispatchWorkItemFlags

    /// How urgent it is, and what else the queue is told.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = []) {
      self.qos = qos
      self.flags = flags
    }
  }

  /// Runs a closure on the queue.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // Apple's takes closures that are not `Sendable` too; who schedules them answers for what they share.
    nonisolated(unsafe) let action = action
    async(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { unsafe action() }
  }
}
