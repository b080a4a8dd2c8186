import Networking
import Platform
import Primitives
import Storage
import Testing
import Wire

@testable import Gateway

@Suite("The schedule by which the free disk space is measured")
struct DiskScheduleTests {
  @Test(
    "Only one disk measurement runs at a time; the next one begins one second later; each completed measurement is reported"
  )
  func runsOneMeasurementAtATime() async throws {
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let (clock, tasks) = (LoopClock(start), LoopTasks())
    let monitor = DiskMonitor(reserve: 0) { () throws(StorageError) in 7 }
    let schedule = DiskSchedule(
      DiskGauge(monitor, on: try BlockingExecutor(name: "disk")),
      removal: RemovalGate(.ofThisMachine, limits: Limits(), now: start), clock: clock, tasks: tasks,
      log: Log(level: .error, format: .text, clock: { LogTime.now }, output: { _ in }))
    var measured = 0
    schedule.didMeasure = { measured += 1 }
    #expect(schedule.nextDeadline == start)
    schedule.measureIfDue()
    #expect(schedule.nextDeadline == nil, "no deadline is set during a measurement")
    schedule.measureIfDue()
    let work = tasks.takeAll()
    #expect(work.count == 1)
    for measure in work { await measure() }
    #expect(measured == 1 && monitor.figures.free == 7)
    #expect(schedule.nextDeadline == start + DiskGauge.interval)
    schedule.measureIfDue()
    #expect(tasks.takeAll().isEmpty, "the next measurement is not due yet")
    clock.set(start + DiskGauge.interval)
    schedule.measureIfDue()
    #expect(tasks.takeAll().count == 1)
  }
}
