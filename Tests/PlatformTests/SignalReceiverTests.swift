import Glibc
import Testing
import Platform

@Suite("Signals of the process")
struct SignalReceiverTests {
  @Test("`next()` returns the signals that the process receives, except SIGPIPE, which is ignored")
  func receives() async {
    await #expect(processExitsWith: .success) {
      let receiver = try SignalReceiver()
      for (signal, expected) in [
        (SIGHUP, SignalReceiver.Signal.reload), (SIGTERM, .terminate), (SIGINT, .terminate),
      ] {
        #expect(pthread_kill(pthread_self(), signal) == 0)
        #expect(try receiver.next() == expected)
      }
      #expect(pthread_kill(pthread_self(), SIGPIPE) == 0, "SIGPIPE is ignored")
    }
  }

  @Test("A child process that ends leaves no zombie, even if no code waits for it")
  func buries() async {
    await #expect(processExitsWith: .success) {
      _ = try SignalReceiver()
      var child = pid_t()
      let path = unsafe strdup("/bin/true")
      var arguments = unsafe [path, nil]
      #expect(unsafe posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0)
      #expect(waitpid(child, nil, 0) == -1)
      #expect(errno == ECHILD)
    }
  }
}
