import Testing

@testable import Networking
@testable import Platform

/// The environment variables with which a service manager (systemd) requests notifications.
@Suite("The service manager (systemd)")
struct ServiceManagerTests {
  @Test(
    "The watchdog interval is half of WATCHDOG_USEC; if WATCHDOG_PID names another process, there is no interval",
    arguments: [
      (["WATCHDOG_USEC": "30000000"], .seconds(15)), (["WATCHDOG_USEC": "3000"], .microseconds(1500)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(15)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), ([:], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-4"], nil), (["WATCHDOG_USEC": "soon"], nil),
    ] as [([String: String], Duration?)])
  func interval(_ variables: [String: String], _ interval: Duration?) throws {
    let environment = variables.merging(["NOTIFY_SOCKET": "/run/notify"]) { own, _ in own }
    let manager = try #require(ServiceManager(environment: environment, process: 7))
    #expect(manager.watchdogInterval == interval)
  }

  @Test(
    "If NOTIFY_SOCKET is missing, or is not the address of a Unix socket, there is no service manager",
    arguments: [nil, "", "vsock:2:1"])
  func none(_ socket: String?) {
    let environment = socket.map { ["NOTIFY_SOCKET": $0] } ?? [:]
    let manager = ServiceManager(environment: environment, process: 7)
    if manager != nil { Issue.record("a manager was created from an invalid environment") }
  }

  @Test(
    "Notifying a service manager that has ended fails with an error of sendto",
    arguments: ["/nonexistent/notify", "@no-such-manager"])
  func gone(_ socket: String) throws {
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": socket], process: 7))
    #expect(throws: SystemError.self) { try manager.notify(.ready) }
  }

  @Test("Notifying fails with an error if the path in NOTIFY_SOCKET is too long for a socket")
  func tooLong() throws {
    let path = "/" + String(repeating: "x", count: 108)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path], process: 7))
    #expect(throws: SystemError.self) { try manager.notify(.ready) }
  }
}
