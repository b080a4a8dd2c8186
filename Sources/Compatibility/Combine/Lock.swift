import Glibc

/// A mutex that the thread sanitizer understands. The owner of the lock stores the protected state. While the lock is held, no
/// code of the program that uses this library is called.
///
/// Unchecked: the pointer never changes, and several threads may use a `pthread_mutex_t`.
@safe struct Lock: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  /// Runs a closure while holding the lock.
  borrowing func withLock<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }
}
