internal import Storage
internal import Transport
internal import Wire

/// Takes an operator's commands from the socket in the data folder, on a thread of its own, and has reactors perform them.
final class CommandService: Sendable {
  private let listener: CommandListener
  private let thread: SystemThread

  /// Begins to take commands.
  ///
  /// - Parameters:
  ///   - data: the folder of the gateway.
  ///   - perform: does what is asked.
  /// - Throws: `StorageError` when there can be no such socket, `SystemError` when there can be no thread.
  init(in data: DataFolder, perform: @escaping @Sendable (SessionCommand) async -> SessionCommand.Answer)
    throws
  {
    let listener = try CommandListener(in: data)
    self.listener = listener
    thread = try SystemThread(name: "commands") {
      while let connection = listener.next() {
        guard let command = SessionCommand(line: connection.request) else {
          connection.answer(SessionCommand.Answer.refused("this gateway does not know that command").line)
          continue
        }
        Task { connection.answer(await perform(command).line) }
      }
    }
  }

  /// Takes no more commands; those that are being performed are answered when they are done.
  func stop() {
    listener.stop()
    thread.join()
  }
}
