import Glibc
import Testing

@testable import Platform

/// The exit of a process whose threads still run.
@Suite("A process can exit while its threads are running")
struct ExitTests {
  @Test("OpenSSL stays usable while the exit handlers of the process run")
  func openSSL() async {
    await #expect(processExitsWith: .success) {
      // The first registered handler runs last: after the handler that OpenSSL would register at its first use.
      let status = atexit { _ = SecureRandom.bytes(16) }
      precondition(status == 0, "an exit handler can be registered")
      _ = SecureRandom.bytes(16)
      exit(0)
    }
  }
}
