import Glibc

/// Apple's `ObservableObject`: a class that says before its properties change.
public protocol ObservableObject: AnyObject {
  /// What says so.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Publishes before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Publishes before each `@Published` property of the object changes, and whenever it is told to `send`.
  ///
  /// One for each object, and as long as that lives. A class that has a publisher of its own by this name sends by it itself.
  public var objectWillChange: ObservableObjectPublisher {
    ObjectPublisherTable.shared.publisher(of: self)
  }
}

/// Apple's `ObservableObjectPublisher`: says that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// It says no more than that.
  public typealias Output = Void
  /// It cannot fail.
  public typealias Failure = Never

  private let broadcaster = Broadcaster<Void, Never>()

  /// One without subscribers.
  public init() {}

  /// Takes a subscriber on.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    broadcaster.add(subscriber)
  }

  /// Says it, from any thread.
  public func send() {
    broadcaster.publish(())
  }
}

/// The publishers of objects that were asked for theirs.
///
/// Apple's runtime keeps them in the object; here is no room in it, so they are kept beside, and those of objects that are
/// gone are dropped before there are twice as many as objects.
///
/// Unchecked: what varies is read and written under the lock only.
final class ObjectPublisherTable: @unchecked Sendable {
  static let shared = ObjectPublisherTable()

  private struct Entry {
    weak var owner: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private let lock = Lock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepThreshold = 64

  /// How many are kept, those of objects that are gone among them.
  var count: Int { lock.withLock { entries.count } }

  /// That of an object, made now if need be.
  func publisher(of object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, _, _) = lock.withLock {
      let id = ObjectIdentifier(object)
      // An address may be used again: the row is this object's only if that still lives.
      if let entry = entries[id], entry.owner === object {
        return (entry.publisher, [Entry](), [AnyObject]())
      }
      let publisher = ObservableObjectPublisher()
      var released: [Entry] = []
      if let old = entries.updateValue(Entry(owner: object, publisher: publisher), forKey: id) {
        released.append(old)
      }
      let living = entries.count >= sweepThreshold ? sweep(into: &released) : []
      // Let go of outside the lock: what subscribers hold may call out as it goes, and so may an object that somebody
      // else let go of while it was looked at here.
      return (publisher, released, living)
    }
    return publisher
  }

  /// Takes the rows of objects that are gone out of the table, and gives back all others' objects; under the lock.
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

  /// That of an object, if it was ever asked for.
  func existingPublisher(of object: AnyObject) -> ObservableObjectPublisher? {
    lock.withLock {
      guard let entry = entries[ObjectIdentifier(object)], entry.owner === object else { return nil }
      return entry.publisher
    }
  }
}
