internal import FoundationEssentials
internal import Gateway
internal import SessionCore
internal import Storage
internal import Wire

extension DrawTogetherCommand {
  /// Runs a command on a data folder.
  func perform(_ command: DataCommand) throws(CommandError) -> ExitCode {
    switch command.action {
    case .list(let asJSON): return try list(try StoredSessions(in: command.folder), asJSON: asJSON)
    case .restore(let source, let asJSON):
      return try restore(source, into: command.folder, asJSON: asJSON)
    case .export(let prefix, let onlyRetained):
      let sessions = try StoredSessions(in: command.folder)
      return try export(try sessions.one(prefix), onlyRetained: onlyRetained, from: sessions)
    case .repair(let prefix): return try repair(prefix, in: command.folder)
    case .change(let prefix, let work): return try perform(work, prefix, in: command.folder)
    case .verify(let prefix): return try verify(prefix, in: try StoredSessions(in: command.folder))
    case .backup(let target, let reserve, let asJSON):
      let request = FolderCopying.Request(
        purpose: .backup, source: command.folder, target: target, reserve: UInt64(reserve))
      return try copyFolder(request, asJSON: asJSON)
    }
  }

  private func printError(_ text: String) {
    errors("drawtogether: \(text)\n")
  }

  private func list(_ sessions: StoredSessions, asJSON: Bool) throws(CommandError) -> ExitCode {
    let list = try SessionList(of: sessions)
    var output = StandardOutput(data)
    if asJSON {
      for row in list.rows { try output(row.json) }
    } else {
      try output(Array(SessionRow.table(list.rows, now: .now).utf8))
    }
    try output.flush()
    for (id, error) in list.faults { printError("session \(id): \(error)") }
    return list.faults.isEmpty ? .success : .failure
  }

  private func export(
    _ id: SessionID, onlyRetained: Bool, from sessions: StoredSessions
  ) throws(CommandError) -> ExitCode {
    var output = StandardOutput(data)
    let end = try SessionExport.write(
      id, onlyRetained: onlyRetained, from: try sessions.log(of: id), to: &output)
    for skipped in end.skipped {
      printError("session \(id): log, byte \(skipped.range.lowerBound): \(skipped)")
    }
    if let damage = end.damage { printError("session \(id): \(damage): the export ends before the damage") }
    return end.damage == nil && end.lost.isEmpty ? .success : .failure
  }

  /// Restores a backup or a session, whichever exists by that name.
  private func restore(
    _ source: DataCommand.RestoreSource, into folder: String, asJSON: Bool
  ) throws(CommandError) -> ExitCode {
    let path: String
    switch source {
    case .session(let prefix): return try restore(prefix, in: try StoredSessions(in: folder))
    case .backup(let folder), .either(let folder, _): path = folder
    }
    let isFolder = Self.isFolder(path)
    if case .either(_, let prefix) = source {
      // If the name is the path of a backup, the data folder may be missing, because the restore creates the data folder.
      let sessions = isFolder ? try? StoredSessions(in: folder) : try StoredSessions(in: folder)
      switch (isFolder, try sessions?.all().contains(where: prefix.matches) ?? false) {
      case (false, true): return try restore(prefix, in: try StoredSessions(in: folder))
      case (true, true): throw .folderAndSession(prefix, folder: folder)
      case (false, false): throw .neitherFolderNorSession(prefix, folder: folder)
      case (true, false): break
      }
    }
    guard isFolder else { throw .noBackup(path) }
    let request = FolderCopying.Request(
      purpose: .restore, source: path, target: folder, reserve: 0)
    return try copyFolder(request, asJSON: asJSON)
  }

  private func restore(
    _ prefix: SessionPrefix, in sessions: StoredSessions
  ) throws(CommandError) -> ExitCode {
    let id = try sessions.one(prefix)
    try sessions.restore(id)
    output("session \(id) is restored: its link works again\n")
    return .success
  }

  private func verify(
    _ prefix: SessionPrefix?, in sessions: StoredSessions
  ) throws(CommandError) -> ExitCode {
    var sums = (sessions: 0, damaged: 0, faults: 0, files: 0, logBytes: 0)
    let all = if let prefix { [try sessions.one(prefix)] } else { try sessions.all() }
    for id in all {
      guard let check = try SteadyCheck(id, in: sessions).last else { continue }
      sums.sessions += 1
      sums.files += check.files
      sums.logBytes += check.wholeBytes
      guard !check.faults.isEmpty else { continue }
      sums.damaged += 1
      sums.faults += check.faults.count
      for fault in check.faults { output("\(id) \(fault)\n") }
    }
    let whole =
      "\(Self.counted(sums.sessions, "session")), \(Self.counted(sums.files, "file")), "
      + "\(ShownFigures.size(UInt64(sums.logBytes))) of logs"
    guard sums.faults == 0 else {
      printError("\(Self.counted(sums.faults, "fault")) in \(sums.damaged) of \(whole)")
      return .failure
    }
    output("\(whole): no faults found\n")
    return .success
  }

  /// Returns a count with its noun, in singular or plural.
  static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }
}
