import Glibc
import Testing

@testable import Platform

/// The end of a process, while threads of it still work.
@Suite("Exit")
struct ExitTests {
  @Test("Whoever still needs OpenSSL while the process exits has it")
  func openSSL() async {
    await #expect(processExitsWith: .success) {
      // What is registered first is called last: behind what OpenSSL would register with its first use.
      let status = atexit { _ = SecureRandom.bytes(16) }
      precondition(status == 0, "there is room for a handler")
      _ = SecureRandom.bytes(16)
      exit(0)
    }
  }
}
