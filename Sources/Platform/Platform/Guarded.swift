package import Synchronization

/// A value behind a lock, for small state within one type: a `Mutex` whose ordering is visible to the thread sanitizer.
///
/// `Mutex` waits in the kernel and in a library that is built without the sanitizer. So the sanitizer does not see that one
/// thread released the lock before another thread acquired it, and reports a race between them. The acquire and the release here
/// repeat the ordering of the lock in our own code; on x86-64 and arm64 they cost next to nothing.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let turns = Atomic<UInt>(0)

  /// Creates a lock around a value.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs the closure with the lock held. The closure must be short and must not acquire this lock again.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) in
      let turn = turns.load(ordering: .acquiring)
      defer { turns.store(turn &+ 1, ordering: .releasing) }
      return try body(&value)
    }
  }
}
