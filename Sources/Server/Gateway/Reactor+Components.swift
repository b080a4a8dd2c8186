internal import SessionCore
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

extension Reactor {
  /// Connects the callbacks of components.
  func connectComponents() {
    reader.answerToPlainText = { [unowned http] in http.answerToPlainText($0) }
    acceptor.makeHandler = { [unowned http] in http.makeHandler(of: $0) }
    acceptor.refusalBytes = { [unowned http] in http.refusalBytes($0) }
    uploads.perform = { [unowned http] in http.perform($0, over: $1) }

    io.didCloseReserved = { [unowned acceptor] in acceptor.releaseReserved($0) }
    persister.didReturn = { [unowned sessions] in sessions.batchReturned($0) }
    persister.didStore = { [unowned compactor] in compactor.compactIfUseful($0) }
    persister.didLoseOwnership = { [unowned sessions] in sessions.dropLost($0.session.id) }
    compactor.didFinish = { [unowned sessions] in sessions.touch($0.session.id) }
    uploads.didChange = { [unowned sessions] in sessions.touch($0) }
    broadcaster.schedule = { [unowned sessions] in sessions.schedule($0) }
    broadcaster.perform = { [unowned sockets] in sockets.perform($0, in: $1) }
    sockets.receiveText = { [unowned messages] in messages.receive($2, from: $0, in: $1) }
  }

  // MARK: - Calls from other threads

  /// Removes a session of this reactor that is not in memory, and whose time is over.
  func removeStored(_ id: SessionID, hadEnded: Bool) async {
    await sessions.removeStored(id, hadEnded: hadEnded)
  }

  /// Performs an operator's command about a session of this reactor.
  func perform(_ command: SessionCommand) async -> SessionCommand.Answer {
    await sessions.perform(command)
  }
}
