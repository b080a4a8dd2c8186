package import Synchronization

/// A value behind a lock, for small state within one type: a `Mutex` whose order the thread sanitizer sees.
///
/// `Mutex` waits in the kernel and in a library that is built without the sanitizer, which therefore reports a
/// race between two threads that merely took turns. The acquire and the release here say in our own code what
/// the lock says anyway; on x86-64 and arm64 they cost next to nothing.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let turns = Atomic<UInt>(0)

  /// Guards a first value.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs the closure alone; it must be short, and call nothing that takes this lock again.
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
