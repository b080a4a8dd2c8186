import Glibc

/// A lock whose order the thread sanitizer sees. What it guards is its owner's, and nothing is called out to while it
/// is held.
///
/// Unchecked: the pointer never changes, and what it points at is made for use by several threads.
@safe struct Lock: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  /// Runs the closure alone.
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
