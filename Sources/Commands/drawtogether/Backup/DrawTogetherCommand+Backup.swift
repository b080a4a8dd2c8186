internal import Gateway
internal import Glibc
internal import Storage
internal import Wire

extension DrawTogetherCommand {
  /// Makes a backup, or puts one back, and tells what came of it.
  func copyFolder(_ request: FolderCopying.Request, asJSON: Bool) -> ExitCode {
    let sum: FolderCopying.Sum
    do throws(CopyingFailure) {
      sum = try FolderCopying.run(request)
    } catch {
      errors("drawtogether: \(error)\n")
      return error.isOfUsage ? .usage : .failure
    }
    for fault in sum.faults {
      let fate = fault.isCopied ? "" : ", and it is left out"
      errors("drawtogether: session \(fault.session): \(fault.words)\(fate)\n")
    }
    if let fault = sum.certificateFault { errors("drawtogether: \(fault), and it is left out\n") }
    if asJSON {
      output(Self.json(of: sum, request) + "\n")
    } else {
      output(Self.words(of: sum, request) + "\n")
    }
    return sum.isFaultless ? .success : .failure
  }

  /// Whether a path leads to a folder.
  static func isFolder(_ path: String) -> Bool {
    var found = stat()
    return unsafe stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
  }

  private static func words(of sum: FolderCopying.Sum, _ request: FolderCopying.Request) -> String {
    let what =
      "\(counted(sum.sessions, "session")), \(counted(sum.attachments, "attachment")), "
      + "\(ShownFigures.size(sum.bytes)) in \(tenths(sum.seconds)) s"
    var words =
      switch request.purpose {
      case .backup: "backup in \(request.target): \(what)"
      case .restore: "restored into \(request.target): \(what)"
      }
    let sessions = Set(sum.faults.filter(\.isCopied).map(\.session)).count
    if sessions > 0 { words += "; \(counted(sessions, "session")) damaged as before" }
    if let name = sum.replacedCertificate { words += "; the certificate that was there is now \(name)" }
    return words
  }

  private static func json(of sum: FolderCopying.Sum, _ request: FolderCopying.Request) -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member(request.purpose.rawValue, request.purpose == .backup ? request.target : request.source)
      writer.member("sessions", sum.sessions)
      writer.member("attachments", sum.attachments)
      writer.member("bytes", sum.bytes)
      writer.member("faults", sum.faults.count + (sum.certificateFault == nil ? 0 : 1))
      writer.name("seconds")
      writer.write(json: tenths(sum.seconds).utf8)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
