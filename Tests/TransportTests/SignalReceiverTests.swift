import Glibc
import Testing
import Transport

@Suite("Signals")
struct SignalReceiverTests {
  @Test("Signals come as values, in a process of their own")
  func receives() async {
    await #expect(processExitsWith: .success) {
      let receiver = try SignalReceiver()
      for (signal, expected) in [
        (SIGHUP, SignalReceiver.Signal.reload), (SIGTERM, .terminate), (SIGINT, .terminate),
      ] {
        #expect(pthread_kill(pthread_self(), signal) == 0)
        #expect(try receiver.next() == expected)
      }
      #expect(pthread_kill(pthread_self(), SIGPIPE) == 0, "and a closed output is not the end")
    }
  }
}
