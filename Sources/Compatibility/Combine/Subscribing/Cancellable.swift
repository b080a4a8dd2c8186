/// An activity that can be cancelled (Apple's `Cancellable`).
public protocol Cancellable {
  /// Cancels the activity. A second call does nothing.
  func cancel()
}

extension Cancellable {
  /// Stores the object in a collection. The object is cancelled when it is released.
  public func store<Cancellables: RangeReplaceableCollection>(in collection: inout Cancellables)
  where Cancellables.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Stores the object in a set. The object is cancelled when it is released.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}

/// An object that cancels an activity once: on `cancel`, or when it is released (Apple's `AnyCancellable`).
public final class AnyCancellable: Cancellable, Hashable {
  private let lock = Lock()
  // The closure is accessed under the lock.
  private var onCancel: (() -> Void)?

  /// Creates an object that calls a closure on `cancel` or when released.
  public init(_ cancel: @escaping () -> Void) {
    onCancel = cancel
  }

  /// Creates an object that cancels another object.
  public init<Other: Cancellable>(_ canceller: Other) {
    onCancel = canceller.cancel
  }

  /// Cancels the activity. May be called on any thread; a second call does nothing.
  public func cancel() {
    let pending = lock.withLock {
      defer { onCancel = nil }
      return onCancel
    }
    pending?()
  }

  /// Returns true if both arguments are the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool {
    left === right
  }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Stores the object in a collection. The object is cancelled when it is released.
  public func store<Cancellables: RangeReplaceableCollection>(in collection: inout Cancellables)
  where Cancellables.Element == AnyCancellable {
    collection.append(self)
  }

  /// Stores the object in a set. The object is cancelled when it is released.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  deinit {
    onCancel?()
  }
}
