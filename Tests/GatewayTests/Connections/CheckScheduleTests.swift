import Glibc
import Networking
import Platform
import Primitives
import Testing
import Wire

@testable import Gateway

@Suite("CheckSchedule returns each connection when its next check is due")
struct CheckScheduleTests {
  private static let start = MonotonicTime(nanoseconds: 7_123_000_000)
  private let table = ConnectionTable { _, _ in }
  private let schedule = CheckSchedule(start: start)

  private func time(_ seconds: Double) -> MonotonicTime {
    Self.start.adding(milliseconds: Int(seconds * 1_000))
  }

  private func admit() throws -> Connection {
    try table.admit(OwnedDescriptor(owning: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC))) {
      Connection(
        key: $0, descriptor: $1, peer: SocketAddress(ip: IPAddress(v4: 1), port: 1), tls: nil,
        deadline: .distantFuture)
    }
  }

  /// Returns all connections whose checks are due, in order.
  private func due(at seconds: Double) -> [Connection.Key] {
    var keys: [Connection.Key] = []
    while let connection = schedule.next(in: table, now: time(seconds)) { keys.append(connection.key) }
    return keys
  }

  @Test(
    "The schedule returns each connection when the tick of its check has passed, earlier ticks first")
  func order() throws {
    let (late, early, same) = (try admit(), try admit(), try admit())
    schedule.schedule(late, in: 4, now: time(0.1))
    schedule.schedule(early, in: 2, now: time(0.1))
    schedule.schedule(same, in: 2, now: time(0.1))
    #expect(schedule.nextDeadline == time(1))
    #expect(due(at: 0.9).isEmpty)
    #expect(due(at: 1) == [early.key, same.key])
    #expect(schedule.nextDeadline == time(2))
    #expect(due(at: 2) == [late.key])
    #expect(schedule.nextDeadline == nil)
  }

  @Test("A check that is moved to the next tick takes place at that tick, and not again at its former time")
  func hastened() throws {
    let connection = try admit()
    schedule.schedule(connection, in: 40, now: time(0))
    schedule.hasten(connection, now: time(3))
    schedule.hasten(connection, now: time(3))
    #expect(schedule.nextDeadline == time(3.5))
    #expect(due(at: 3.5) == [connection.key])
    schedule.schedule(connection, in: 60, now: time(3.5))
    #expect(due(at: 33).isEmpty, "nothing is due at the time of the first schedule")
    #expect(due(at: 33.5) == [connection.key])
  }

  @Test(
    "A closed connection is not returned; a later connection in the same slot is returned when its own check is due"
  )
  func closed() throws {
    let connection = try admit()
    schedule.schedule(connection, in: 1, now: time(0))
    #expect(table.forget(connection))
    let successor = try admit()
    #expect(successor.key.slot == connection.key.slot)
    schedule.schedule(successor, in: 3, now: time(0))
    #expect(due(at: 1).isEmpty)
    #expect(due(at: 1.5) == [successor.key])
  }

  @Test("After a long pause of the loop, the checks of all connections are due, in the order of their ticks")
  func pause() throws {
    let connections = try (0..<100).map { _ in try admit() }
    for (index, connection) in connections.enumerated() {
      schedule.schedule(connection, in: CheckSchedule.Ticks(1 + index % 63), now: time(0))
    }
    let order = due(at: 3_600)
    let indices = (0..<63).flatMap { tick in connections.indices.filter { $0 % 63 == tick } }
    #expect(order == indices.map { connections[$0].key })
    schedule.schedule(connections[0], in: 63, now: time(3_600))
    #expect(schedule.nextDeadline == time(3_631.5))
  }

  @Test("While the check of a connection is due, the loop does not sleep")
  func pending() throws {
    let (one, other) = (try admit(), try admit())
    for connection in [one, other] { schedule.schedule(connection, in: 1, now: time(0)) }
    #expect(schedule.next(in: table, now: time(1)) === one)
    #expect(schedule.nextDeadline == .distantPast)
    #expect(schedule.next(in: table, now: time(1)) === other)
    #expect(schedule.nextDeadline == nil)
  }

  @Test(
    "A waiting time is converted to a number of ticks, which is rounded up and limited to the range from 1 to the maximum",
    arguments: [(-1, 1), (0, 1), (0.1, 1), (0.5, 1), (0.6, 2), (20, 40), (31.5, 63), (1e6, 63)])
  func ticks(_ seconds: Double, _ ticks: CheckSchedule.Ticks) {
    #expect(CheckSchedule.ticks(until: time(seconds), from: Self.start) == ticks)
    #expect(CheckSchedule.ticks(until: .distantFuture, from: Self.start) == CheckSchedule.maximumTicks)
  }
}
