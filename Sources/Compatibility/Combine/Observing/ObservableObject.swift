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
    ObservedObjects.shared.publisher(of: self)
  }
}

/// Apple's `ObservableObjectPublisher`: says that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// It says no more than that.
  public typealias Output = Void
  /// It cannot fail.
  public typealias Failure = Never

  private let broadcast = Broadcast<Void, Never>()

  /// One without subscribers.
  public init() {}

  /// Takes a subscriber on.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    broadcast.add(subscriber)
  }

  /// Says it, from any thread.
  public func send() {
    broadcast.publish(())
  }
}

/// The publishers of objects that were asked for theirs.
///
/// Apple's runtime keeps them in the object; here is no room in it, so they are kept beside, and those of objects that are
/// gone are dropped before there are twice as many as objects.
///
/// Unchecked: what varies is read and written under the lock only.
final class ObservedObjects: @unchecked Sendable {
  static let shared = ObservedObjects()

  private struct Row {
    weak var owner: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private let lock = Lock()
  private var rows: [ObjectIdentifier: Row] = [:]
  private var sweepsAt = 64

  /// How many are kept, those of objects that are gone among them.
  var count: Int { lock.with { rows.count } }

  /// That of an object, made now if need be.
  func publisher(of object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, _, _) = lock.with {
      let id = ObjectIdentifier(object)
      // An address may be used again: the row is this object's only if that still lives.
      if let row = rows[id], row.owner === object { return (row.publisher, [Row](), [AnyObject]()) }
      let publisher = ObservableObjectPublisher()
      var gone: [Row] = []
      if let old = rows.updateValue(Row(owner: object, publisher: publisher), forKey: id) { gone.append(old) }
      let living = rows.count >= sweepsAt ? sweep(into: &gone) : []
      // Let go of outside the lock: what subscribers hold may call out as it goes, and so may an object that somebody
      // else let go of while it was looked at here.
      return (publisher, gone, living)
    }
    return publisher
  }

  /// Takes the rows of objects that are gone out of the table, and gives back all others' objects; under the lock.
  private func sweep(into gone: inout [Row]) -> [AnyObject] {
    var living: [AnyObject] = []
    var kept: [ObjectIdentifier: Row] = [:]
    for (id, row) in rows {
      if let owner = row.owner {
        living.append(owner)
        kept[id] = row
      } else {
        gone.append(row)
      }
    }
    rows = kept
    sweepsAt = max(64, 2 * rows.count)
    return living
  }

  /// That of an object, if it was ever asked for.
  func publisherIfAny(of object: AnyObject) -> ObservableObjectPublisher? {
    lock.with {
      guard let row = rows[ObjectIdentifier(object)], row.owner === object else { return nil }
      return row.publisher
    }
  }
}
