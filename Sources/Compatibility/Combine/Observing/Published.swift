/// Apple's `@Published`: a property of a class that publishes each value **before** it is stored.
///
/// Whoever reads the property while it is told of a new value finds the old one. Any thread may read and write; who is told
/// sees the values in the order in which they were published, and the one published last is the one that stays.
@propertyWrapper
public struct Published<Value> {
  private let storage: Storage

  /// A property with its first value.
  public init(wrappedValue: Value) {
    storage = Storage(wrappedValue)
  }

  /// A property with its first value.
  public init(initialValue: Value) {
    self.init(wrappedValue: initialValue)
  }

  /// Only properties of classes can be observed.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    set { fatalError("@Published is only available on properties of classes, not for \(newValue)") }
  }

  /// What publishes the property: its value at once, and then each new one before it is stored.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    // `assign(to: &$x)` writes back what it was given.
    nonmutating set {}
  }

  /// What publishes the property, got through the object that has it: `assign(to:)` has that say that it changes.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    projected projectedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Publisher>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Publisher {
    get { Publisher(storage: object[keyPath: storageKeyPath].storage, owner: object) }
    // `assign(to: &$x)` writes back what it was given.
    set {}
  }

  /// The value, read and written through the object that has it.
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

  /// Apple's `Published.Publisher`: publishes the values of one property.
  public struct Publisher: Combine.Publisher {
    /// The property's type.
    public typealias Output = Value
    /// It cannot fail.
    public typealias Failure = Never

    fileprivate let storage: Storage
    fileprivate weak var owner: AnyObject?

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      storage.broadcaster.add(subscriber)
    }

    /// Publishes what another publisher does, for as long as the property lives.
    func assign(from upstream: some Combine.Publisher<Value, Never>) {
      storage.retain(
        upstream.sink { [weak storage, weak owner] value in
          guard let storage else { return }
          if let owner { ObjectPublisherTable.shared.existingPublisher(of: owner)?.send() }
          storage.value = value
        })
    }
  }

  /// What a property and its publishers share. Unchecked: the value is the broadcast's, which guards it, and the sources are
  /// read and written under the lock only.
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

// What they share is behind a lock; values cross threads, so they must be made for it.
extension Published: @unchecked Sendable where Value: Sendable {}
// It has nothing but that.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}
