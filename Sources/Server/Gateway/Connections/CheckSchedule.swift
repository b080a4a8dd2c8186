internal import Primitives

/// The times of the next checks of a reactor's connections: a timer wheel with a slot for every half second.
///
/// A check tests the time limits of one connection, and sends a ping or heartbeat if one is due. Idle connections cost nothing
/// between two checks. A turn makes a limited number of checks, so that thousands of pings never delay other connections.
final class CheckSchedule {
  /// A number of half seconds.
  typealias Ticks = UInt32

  /// The time between two slots of the timer wheel. A check takes place at most this long before or after its scheduled time. If
  /// many checks are due in the same turn, a check may take place later.
  static let tickMilliseconds = 500
  /// The maximum number of ticks until a check. If the time of a check is later, the check takes place after this number of
  /// ticks.
  static let maximumTicks: Ticks = 63
  /// The number of checks that each turn may make. With more than 1,024 due connections, a turn may check a sixteenth of them.
  private static let leastChecksPerTurn = 64
  private static let nanosecondsPerTick: Int64 = 500_000_000
  private static let slotCount = 64

  /// Returns the number of ticks from `now` to `time`, rounded up: at least 1, at most `maximumTicks`.
  static func ticks(until time: MonotonicTime, from now: MonotonicTime) -> Ticks {
    guard time > now else { return 1 }
    let (difference, tooLong) = time.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    guard !tooLong, difference < Int64(maximumTicks) * nanosecondsPerTick else { return maximumTicks }
    return Ticks((difference + nanosecondsPerTick - 1) / nanosecondsPerTick)
  }

  /// The connections to be checked at each tick, at the index `tick % slotCount`. A connection is named by the index of its row
  /// in `ConnectionTable.rows`. The index is not removed if the check is moved to another tick, or if the connection closes. So
  /// before a check, `next` tests whether the row has a connection whose `checkTick` is reached.
  private var slots = [[Int32]](repeating: [], count: slotCount)
  /// The rows of the connections whose check is due, in reverse order: the last element of this array is checked first.
  private var due: [Int32] = []
  /// The number of elements of `due`. Each turn reads this number instead of `due.count`, because each access to `due` needs an
  /// exclusivity check at run time.
  private var dueCount = 0
  /// The last tick whose slot was moved to `due`.
  private var lastTick: Ticks = 0
  /// The number of rows in `slots`.
  private var count = 0
  private let start: MonotonicTime
  /// The time of the first occupied slot; distant future if all slots are empty.
  private var nextSlotAt = MonotonicTime.distantFuture

  /// Creates an empty schedule, whose ticks begin at `start`.
  init(start: MonotonicTime) {
    self.start = start
  }

  /// The number of checks that the present turn may make.
  var checksPerTurn: Int { max(Self.leastChecksPerTurn, dueCount / 16) }
  /// The time of the next check; nil if there is none.
  var nextDeadline: MonotonicTime? {
    if dueCount > 0 { return .distantPast }
    return count > 0 ? nextSlotAt : nil
  }

  /// Sets the time of a connection's next check to `ticks` after `now`, and cancels the check that was scheduled before.
  func schedule(_ connection: Connection, in ticks: Ticks, now: MonotonicTime) {
    advance(to: now)
    let tick = lastTick + min(max(1, ticks), Self.maximumTicks)
    connection.checkTick = tick
    slots[Int(tick) % Self.slotCount].append(connection.key.slot)
    count += 1
    nextSlotAt = min(nextSlotAt, time(of: tick))
  }

  /// Moves the next check of a connection to the next tick. The caller has set a new time limit, which may end before the
  /// scheduled check.
  func hasten(_ connection: Connection, now: MonotonicTime) {
    guard connection.checkTick > lastTick + 1 else { return }
    schedule(connection, in: 1, now: now)
  }

  /// Returns the next open connection of the table whose check is due; nil if there is none. The caller checks the connection,
  /// and schedules its next check.
  func next(in table: ConnectionTable, now: MonotonicTime) -> Connection? {
    if nextSlotAt <= now { advance(to: now) }
    while dueCount > 0, let row = due.popLast() {
      dueCount -= 1
      // A check that was moved to a later tick is skipped here, because the slot of the later tick contains the row as well.
      if let connection = table.rows[Int(row)], connection.checkTick <= lastTick { return connection }
    }
    return nil
  }

  /// Moves the rows of all ticks up to `now` to `due`.
  private func advance(to now: MonotonicTime) {
    let present = Ticks(max(0, now.nanoseconds - start.nanoseconds) / Self.nanosecondsPerTick)
    guard present > lastTick else { return }
    if count > 0 {
      // There are only `slotCount` slots. After that many ticks, all of them are empty, so further ticks need no work.
      let passed = min(present - lastTick, Ticks(Self.slotCount))
      var moved: [Int32] = []
      for tick in lastTick + 1...lastTick + passed {
        let index = Int(tick) % Self.slotCount
        guard !slots[index].isEmpty else { continue }
        moved.append(contentsOf: slots[index])
        slots[index].removeAll()
      }
      count -= moved.count
      if !moved.isEmpty { due.insert(contentsOf: moved.reversed(), at: 0) }
      dueCount = due.count
    }
    lastTick = present
    let next = (1...Self.maximumTicks).first { !slots[Int(present + $0) % Self.slotCount].isEmpty }
    nextSlotAt = next.map { time(of: present + $0) } ?? .distantFuture
  }

  private func time(of tick: Ticks) -> MonotonicTime {
    MonotonicTime(nanoseconds: start.nanoseconds + Int64(tick) * Self.nanosecondsPerTick)
  }
}
