/// A property of a class that publishes each value **before** storing it (Apple's `@Published`).
///
/// A subscriber that reads the property while it receives a new value finds the old value. Any thread may read and write.
/// Subscribers receive the values in the order of publishing. If several threads write, the property keeps the value that was
/// published last.
@propertyWrapper
public struct Published<Value> {
  private let storage: Storage

  /// Creates a property with an initial value.
  public init(wrappedValue: Value) {
    storage = Storage(wrappedValue)
  }

  /// Creates a property with an initial value.
  public init(initialValue: Value) {
    self.init(wrappedValue: initialValue)
  }

  /// Unavailable: only properties of classes can be observed.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    set {
      fatalError("@Published is only available on properties of classes, so it cannot store \(newValue)")
    }
  }

  /// The publisher of the property. A new subscriber gets the current value immediately, and then each new value before it is
  /// stored.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    // The setter does nothing: `assign(to: &$x)` only writes back the publisher that it has read.
    nonmutating set {}
  }

  /// The publisher of the property, with a reference to the object that contains the property. `assign(to:)` uses this object to
  /// announce each change through `objectWillChange`.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    projected projectedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Publisher>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Publisher {
    get { Publisher(storage: object[keyPath: storageKeyPath].storage, owner: object) }
    // The setter does nothing: `assign(to: &$x)` only writes back the publisher that it has read.
    set {}
  }

  /// The value, read and written through the enclosing object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set {
      ObjectPublisherTable.shared.existingPublisher(of: object)?.send()
      object[keyPath: storageKeyPath].storage.value = newValue
    }
  }

  /// The publisher of one property (Apple's `Published.Publisher`).
  public struct Publisher: Combine.Publisher {
    /// The property's type.
    public typealias Output = Value
    /// The publisher never fails.
    public typealias Failure = Never

    fileprivate let storage: Storage
    fileprivate weak var owner: AnyObject?

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      storage.broadcaster.add(subscriber)
    }

    /// Assigns the values of a publisher to the property, for the lifetime of the property.
    func assign(from upstream: some Combine.Publisher<Value, Never>) {
      storage.retain(
        upstream.sink { [weak storage, weak owner] value in
          guard let storage else { return }
          if let owner { ObjectPublisherTable.shared.existingPublisher(of: owner)?.send() }
          storage.value = value
        })
    }
  }

  /// The state that a property and its publishers share.
  ///
  /// Unchecked: the broadcaster protects the value, and the lock protects `sources`.
  fileprivate final class Storage: @unchecked Sendable {
    let broadcaster: Broadcaster<Value, Never>
    private let lock = Lock()
    private var sources: [AnyCancellable] = []

    init(_ value: Value) {
      broadcaster = Broadcaster(value)
    }

    var value: Value {
      get { broadcaster.currentValue }
      set { broadcaster.store(newValue, version: broadcaster.publish(newValue)) }
    }

    func retain(_ source: AnyCancellable) {
      lock.withLock { sources.append(source) }
    }
  }
}

// The shared state is protected by locks. Values cross threads, so they must be `Sendable`.
extension Published: @unchecked Sendable where Value: Sendable {}
// The shared state of a publisher is protected by locks. The only other property of a publisher is a weak reference to the object
// that has the published property.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}
