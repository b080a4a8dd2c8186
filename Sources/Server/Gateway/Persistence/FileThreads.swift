internal import FoundationEssentials
internal import Storage
internal import Synchronization
internal import Platform
internal import Primitives

/// The threads that read and write files, so that no reactor waits for a disk.
///
/// One thread writes sessions, two load sessions, and one sweeps sessions. One thread creates, renames and removes the files of
/// attachments, in order. One reads the certificate, which may be on another disk. One measures the free space, and one verifies
/// contents. The other threads read and write the bytes of attachments, so that a slow transfer does not delay other work.
final class FileThreads: Sendable {
  let saving: BlockingExecutor
  let loaders: [BlockingExecutor]
  let sweeping: BlockingExecutor
  let ordered: BlockingExecutor
  /// The thread that renders the metrics.
  let observing: BlockingExecutor
  let certificates: BlockingExecutor
  let disk: BlockingExecutor
  /// The thread that compares stored contents with their digests. It is not one of the transfer threads, so that transfers of
  /// verified contents do not wait for a verification.
  let verifying: BlockingExecutor
  private let transfers: [BlockingExecutor]
  private let turn = Atomic<UInt>(0)

  /// The nice value of transfer threads. Their priority is lower than that of the reactors, which send live drawing.
  private static let transferNiceness = 5

  /// The nice value of the sweeping thread. Its priority is the lowest, because no request waits for a sweep.
  private static let sweepingNiceness = 10

  init(transfers count: Int) throws(SystemError) {
    saving = try BlockingExecutor(name: "saving")
    loaders = [try BlockingExecutor(name: "loading-0"), try BlockingExecutor(name: "loading-1")]
    sweeping = try BlockingExecutor(name: "sweeping", niceness: Self.sweepingNiceness)
    ordered = try BlockingExecutor(name: "files")
    observing = try BlockingExecutor(name: "observing", niceness: Self.transferNiceness)
    certificates = try BlockingExecutor(name: "certificates")
    disk = try BlockingExecutor(name: "disk")
    verifying = try BlockingExecutor(name: "verifying", niceness: Self.transferNiceness)
    var made: [BlockingExecutor] = []
    for number in 0..<count {
      made.append(try BlockingExecutor(name: "transfer-\(number)", niceness: Self.transferNiceness))
    }
    transfers = made
  }

  /// Returns the thread of the next transfer, round-robin.
  func nextTransfer() -> BlockingExecutor {
    let number = turn.add(1, ordering: .relaxed).oldValue
    return transfers[Int(number % UInt(transfers.count))]
  }

  /// Lets all threads finish their queued work, and waits until they have ended.
  ///
  /// - Parameter duration: the maximum total wait. It is needed because a thread does not end while its disk hangs.
  /// - Returns: true if all threads have ended.
  func stop(within duration: Duration) -> Bool {
    let threads = transfers + loaders + [sweeping, ordered, verifying, certificates, disk, saving, observing]
    for thread in threads { thread.stop() }
    let deadline = MonotonicTime.now() + duration
    return threads.reduce(true) { $1.join(within: max(.zero, deadline - .now())) && $0 }
  }
}
