internal import Storage
internal import Platform
internal import Wire

/// Accepts the operator's commands on the socket in the data folder. It has its own thread. Reactors perform the commands.
final class CommandService: Sendable {
  private let listener: CommandListener
  private let thread: SystemThread

  /// Creates the service, and starts to accept commands.
  ///
  /// - Parameters:
  ///   - data: the folder of the gateway.
  ///   - perform: performs a command.
  /// - Throws: `StorageError` if the socket cannot be created, `SystemError` if the thread cannot be created.
  init(in data: DataFolder, perform: @escaping @Sendable (SessionCommand) async -> SessionCommand.Answer)
    throws
  {
    let listener = try CommandListener(in: data)
    self.listener = listener
    thread = try SystemThread(name: "commands") {
      while let connection = listener.next() {
        guard let command = SessionCommand(line: connection.request) else {
          connection.answer(SessionCommand.Answer.refused("this gateway does not know the command").line)
          continue
        }
        Task { connection.answer(await perform(command).line) }
      }
    }
  }

  /// Stops accepting commands. Commands in progress are still answered.
  func stop() {
    listener.stop()
    thread.join()
  }
}
