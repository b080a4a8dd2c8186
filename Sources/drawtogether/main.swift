import Glibc

let command = DrawTogetherCommand.ofThisProcess()
if command.isToJoin {
  exit(await command.join().rawValue)
} else {
  exit(command.run())
}
