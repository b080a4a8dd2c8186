/// A list of the logs with open files: the most recently used ones, as many as the limit of descriptors allows.
struct OpenFiles {
  private let limit: Int
  private var open: [OpenLog] = []
  private var uses: UInt64 = 0

  init(limit: Int) {
    precondition(limit > 0, "the limit of open logs must be at least 1")
    self.limit = limit
  }

  /// Records the use of a log whose file is open. May close other files to stay below the limit.
  mutating func use(_ log: OpenLog) {
    uses += 1
    if log.usedAt == 0 { open.append(log) }
    log.usedAt = uses
    if open.count > limit { closeSome() }
  }

  /// Closes an eighth of the files, the least recently used ones. Closing only one file at a time would sort the whole list for
  /// each closed file.
  /// - Returns: true if a file was closed.
  @discardableResult
  mutating func closeSome() -> Bool {
    guard !open.isEmpty else { return false }
    open.sort { $0.usedAt < $1.usedAt }
    let count = max(1, min(limit, open.count) / 8)
    for log in open.prefix(count) {
      log.close()
      log.usedAt = 0
    }
    open.removeFirst(count)
    return true
  }

  /// Removes a log from the list.
  mutating func forget(_ log: OpenLog) {
    open.removeAll { $0 === log }
    log.usedAt = 0
  }
}
