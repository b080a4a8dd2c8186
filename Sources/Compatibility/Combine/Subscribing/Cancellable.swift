/// Apple's `Cancellable`: what can be stopped.
public protocol Cancellable {
  /// Stops it; again does nothing.
  func cancel()
}

extension Cancellable {
  /// Keeps it in a collection, until that or its element goes.
  public func store<Cancellables: RangeReplaceableCollection>(in collection: inout Cancellables)
  where Cancellables.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Keeps it in a set, until that or its element goes.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}

/// Apple's `AnyCancellable`: stops something once, at the latest when nobody holds it any more.
public final class AnyCancellable: Cancellable, Hashable {
  private let lock = Lock()
  // Read and written under the lock.
  private var onCancel: (() -> Void)?

  /// Runs the closure on `cancel` or when dropped, whichever comes first.
  public init(_ cancel: @escaping () -> Void) {
    onCancel = cancel
  }

  /// Cancels another.
  public init<Other: Cancellable>(_ canceller: Other) {
    onCancel = canceller.cancel
  }

  /// Stops it, from any thread; again does nothing.
  public func cancel() {
    let pending = lock.withLock {
      defer { onCancel = nil }
      return onCancel
    }
    pending?()
  }

  /// Whether both are the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool {
    left === right
  }

  /// Feeds the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Keeps it in a collection, until that or its element goes.
  public func store<Cancellables: RangeReplaceableCollection>(in collection: inout Cancellables)
  where Cancellables.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps it in a set, until that or its element goes.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  deinit {
    onCancel?()
  }
}
