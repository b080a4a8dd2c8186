import Glibc
import Platform

// If the arguments cannot be read, the process ends: a gateway with default settings would listen on addresses that the operator
// did not choose.
guard let command = DrawTogetherCommand.ofThisProcess() else {
  let words = "drawtogether: the arguments cannot be read: /proc/self/cmdline is missing or empty\n"
  LineWriter.write(Array(words.utf8), to: STDERR_FILENO, waitsForRoom: false)
  exit(DrawTogetherCommand.ExitCode.usage.rawValue)
}
if command.isJoin {
  exit(await command.join().rawValue)
} else {
  exit(command.run())
}
