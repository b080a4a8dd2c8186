internal import Gateway
internal import Glibc
internal import Storage
internal import Wire

extension DrawTogetherCommand {
  /// Makes or restores a backup, and prints the result.
  func copyFolder(_ request: FolderCopying.Request, asJSON: Bool) throws(CommandError) -> ExitCode {
    let sum = try FolderCopying.run(request)
    for fault in sum.faults {
      let fate = fault.isCopied ? "" : "; the session is not copied"
      errors("drawtogether: session \(fault.session): \(fault.words)\(fate)\n")
    }
    if let fault = sum.certificateFault { errors("drawtogether: \(fault); the certificate is not copied\n") }
    if asJSON {
      output(Self.json(of: sum, request) + "\n")
    } else {
      output(Self.text(of: sum, request) + "\n")
    }
    return sum.isFaultless ? .success : .failure
  }

  /// Returns true if a path leads to a folder.
  static func isFolder(_ path: String) -> Bool {
    var found = stat()
    return unsafe stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
  }

  private static func text(of sum: FolderCopying.Sum, _ request: FolderCopying.Request) -> String {
    let content =
      "\(counted(sum.sessions, "session")), \(counted(sum.attachments, "attachment")), "
      + "\(ShownFigures.size(sum.bytes)) in \(tenths(sum.seconds)) s"
    var text =
      switch request.purpose {
      case .backup: "backup in \(request.target): \(content)"
      case .restore: "restored into \(request.target): \(content)"
      }
    let sessions = Set(sum.faults.filter(\.isCopied).map(\.session)).count
    if sessions > 0 {
      text += "; \(counted(sessions, "session")) copied including the damage found in the source"
    }
    if let name = sum.replacedCertificate { text += "; the previous certificate was renamed to \(name)" }
    return text
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
