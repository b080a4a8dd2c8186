import Networking
import Primitives
import Testing

@testable import Gateway

@Suite("CertificateSchedule runs one certificate check at a time")
struct CertificateScheduleTests {
  @Test(
    "Only one certificate check runs at a time; the next check is due one second after the previous check has ended"
  )
  func runsOneCheckAtATime() async throws {
    let fixture = try KeeperFixture()
    let pair = try fixture.pair()
    let keeper = try fixture.keep(try fixture.put(pair, in: "."))
    let start = fixture.now
    let (clock, tasks) = (LoopClock(start), LoopTasks())
    let schedule = CertificateSchedule(keeper, clock: clock, tasks: tasks)
    #expect(schedule.nextDeadline == start)
    schedule.checkIfDue()
    #expect(schedule.nextDeadline == nil, "no deadline is set during a check")
    schedule.checkIfDue()
    let work = tasks.takeAll()
    #expect(work.count == 1)
    for check in work { await check() }
    #expect(schedule.nextDeadline == start + CertificateKeeper.checkInterval)
    schedule.checkIfDue()
    #expect(tasks.takeAll().isEmpty, "the next check is not due yet")
    clock.set(start + CertificateKeeper.checkInterval)
    schedule.checkIfDue()
    #expect(tasks.takeAll().count == 1)
  }
}
