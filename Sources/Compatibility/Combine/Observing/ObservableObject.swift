import Glibc

/// A class that announces each change of its properties before the change (Apple's `ObservableObject`).
public protocol ObservableObject: AnyObject {
  /// The type of the publisher.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// The publisher, which publishes before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// The publisher that publishes before each `@Published` property changes, and when `send` is called.
  ///
  /// Each object has one publisher for its whole lifetime. A class that declares its own `objectWillChange` must call `send`
  /// itself.
  public var objectWillChange: ObservableObjectPublisher {
    ObjectPublisherTable.shared.publisher(of: self)
  }
}

/// A publisher that announces changes of an object (Apple's `ObservableObjectPublisher`).
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// The announcement has no value.
  public typealias Output = Void
  /// The publisher never fails.
  public typealias Failure = Never

  private let broadcaster = Broadcaster<Void, Never>()

  /// Creates a publisher without subscribers.
  public init() {}

  /// Adds a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    broadcaster.add(subscriber)
  }

  /// Announces a change. May be called on any thread.
  public func send() {
    broadcaster.publish(())
  }
}

/// The publishers of all objects whose `objectWillChange` was read.
///
/// Apple's runtime stores the publisher in the object. Here the table stores it. Whenever the number of entries has doubled since
/// the last removal, and is at least 64, the table removes the publishers of released objects.
///
/// Unchecked: mutable state is accessed under the lock only.
final class ObjectPublisherTable: @unchecked Sendable {
  static let shared = ObjectPublisherTable()

  private struct Entry {
    weak var owner: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private let lock = Lock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepThreshold = 64

  /// The number of entries, including those of released objects.
  var count: Int { lock.withLock { entries.count } }

  /// Returns the publisher of an object; creates it if necessary.
  func publisher(of object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, _, _) = lock.withLock {
      let id = ObjectIdentifier(object)
      // Another object may have had the same address. So the entry belongs to this object only if the entry's owner still exists
      // and is the same object.
      if let entry = entries[id], entry.owner === object {
        return (entry.publisher, [Entry](), [AnyObject]())
      }
      let publisher = ObservableObjectPublisher()
      var released: [Entry] = []
      if let old = entries.updateValue(Entry(owner: object, publisher: publisher), forKey: id) {
        released.append(old)
      }
      let living = entries.count >= sweepThreshold ? sweep(into: &released) : []
      // The objects are released outside the lock, because subscribers and objects may run code of the program when they are
      // released. The references here may be the last ones: another thread may have released its references in the meantime.
      return (publisher, released, living)
    }
    return publisher
  }

  /// Removes the entries of released objects and returns the living objects. Called with the lock held.
  private func sweep(into released: inout [Entry]) -> [AnyObject] {
    var living: [AnyObject] = []
    var remaining: [ObjectIdentifier: Entry] = [:]
    for (id, entry) in entries {
      if let owner = entry.owner {
        living.append(owner)
        remaining[id] = entry
      } else {
        released.append(entry)
      }
    }
    entries = remaining
    sweepThreshold = max(64, 2 * entries.count)
    return living
  }

  /// Returns the publisher of an object; nil if `objectWillChange` was never read.
  func existingPublisher(of object: AnyObject) -> ObservableObjectPublisher? {
    lock.withLock {
      guard let entry = entries[ObjectIdentifier(object)], entry.owner === object else { return nil }
      return entry.publisher
    }
  }
}
