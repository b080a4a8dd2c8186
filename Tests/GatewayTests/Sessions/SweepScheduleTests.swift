import Networking
import Platform
import Primitives
import SessionCore
import Storage
import TestSupport
import Testing
import Wire

@testable import Gateway

@Suite("The schedule by which expired sessions are removed from the store")
struct SweepScheduleTests {
  @Test("Only one sweep runs at a time, and each sweep chooses the time of the next one")
  func runsOneSweepAtATime() async throws {
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let (clock, tasks, limits) = (LoopClock(start), LoopTasks(), Limits())
    let executor = try BlockingExecutor(name: "sweeping")
    let attachments = MemoryAttachments()
    let removal = RemovalGate(.ofThisMachine, limits: limits, now: start)
    let sweeper = SessionSweeper(
      MemoryStore(attachments: attachments, on: executor), attachments, on: executor, limits: limits,
      removal: removal, ledger: SessionLedger(limits: limits, removal: removal, isLoaded: true))
    let log = Log(level: .error, format: .text, clock: { LogTime.now }, output: { _ in })
    let schedule = SweepSchedule(sweeper, clock: clock, tasks: tasks, log: log) { _, _ in }
    #expect(schedule.nextDeadline == start)
    schedule.sweepIfDue()
    #expect(schedule.nextDeadline == nil, "no deadline is set during a sweep")
    schedule.sweepIfDue()
    let work = tasks.takeAll()
    #expect(work.count == 1)
    for sweep in work { await sweep() }
    let next = try #require(schedule.nextDeadline)
    #expect(next > start)
    schedule.sweepIfDue()
    #expect(tasks.takeAll().isEmpty, "the next sweep is not due yet")
    clock.set(next)
    schedule.sweepIfDue()
    #expect(tasks.takeAll().count == 1)
  }
}
