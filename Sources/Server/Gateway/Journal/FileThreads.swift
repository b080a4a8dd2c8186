internal import FoundationEssentials
internal import Storage
internal import Synchronization
internal import Platform
internal import Primitives

/// The threads that files are read and written on, so that no reactor waits for a disk.
///
/// One thread writes sessions, two read them, and one sweeps them. One makes, renames and removes the files of all sessions, in
/// order. The certificate has a thread because it may be on another disk; the free space is measured on one, and contents are
/// verified on one. The rest move bytes of attachments, so that a slow transfer delays none of these.
final class FileThreads: Sendable {
  let saving: BlockingExecutor
  let loaders: [BlockingExecutor]
  let sweeping: BlockingExecutor
  let ordered: BlockingExecutor
  /// Makes what is shown of all this.
  let observing: BlockingExecutor
  let certificates: BlockingExecutor
  let disk: BlockingExecutor
  /// The thread that compares contents with their digests, so that transfers of intact contents do not wait for it.
  let verifying: BlockingExecutor
  private let transfers: [BlockingExecutor]
  private let turn = Atomic<UInt>(0)

  /// Moving bytes yields to the reactors: drawing comes first.
  private static let transferNiceness = 5

  /// Nobody waits for what it finds.
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

  /// A thread for one more transfer: they are given out in turn.
  func nextTransfer() -> BlockingExecutor {
    let number = turn.add(1, ordering: .relaxed).oldValue
    return transfers[Int(number % UInt(transfers.count))]
  }

  /// Ends the threads once what waits for them is done, and waits for that.
  ///
  /// - Parameter duration: how long, for all of them together; a disk that hangs keeps its thread.
  /// - Returns: whether all have ended.
  func stop(within duration: Duration) -> Bool {
    let threads = transfers + loaders + [sweeping, ordered, verifying, certificates, disk, saving, observing]
    for thread in threads { thread.stop() }
    let deadline = MonotonicTime.now() + duration
    return threads.reduce(true) { $1.join(within: max(.zero, deadline - .now())) && $0 }
  }
}
