internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// What a list says of one session.
struct SessionRow {
  let id: SessionID
  /// What people read; nil when the log cannot be read.
  var title: String?
  var createdAt: Date?
  /// How many were ever in it.
  var people: Int?
  /// Nil when the log cannot be read.
  var state: SessionSurvey.State?
  /// When the log was written to last.
  var changedAt: Date
  /// In bytes.
  var logBytes: UInt64
  /// Whole contents and what has arrived of uploads.
  var files: Int
  var fileBytes: UInt64

  /// The row as an object in one line, for programs.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("session", id.description)
      writer.member("title", title)
      writer.member("createdAt", createdAt?.formatted(.iso8601))
      writer.member("changedAt", changedAt.formatted(.iso8601))
      writer.member("people", people)
      writer.member("logBytes", logBytes)
      writer.member("files", files)
      writer.member("fileBytes", fileBytes)
      if let state { state.writeMembers(to: &writer) } else { writer.member("state", "unreadable") }
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// The columns' heads.
  static let heads = ["SESSION", "AGE", "PEOPLE", "LOG", "FILES", "STATE", "TITLE"]

  /// The columns of the row as people read them at a moment.
  func columns(now: Date) -> [String] {
    [
      id.description,
      createdAt.map { ShownFigures.age(seconds: now.timeIntervalSince($0)) } ?? "–",
      people.map { String($0) } ?? "–",
      ShownFigures.size(logBytes),
      files == 0 ? "–" : "\(files), \(ShownFigures.size(fileBytes))",
      shownState(now: now),
      title.map { ShownFigures.line($0) } ?? "–",
    ]
  }

  private func shownState(now: Date) -> String {
    switch state {
    case .open: "open"
    case .closed(let date): "closed \(ShownFigures.age(seconds: now.timeIntervalSince(date))) ago"
    case .ended(let date, _): "ended \(ShownFigures.age(seconds: now.timeIntervalSince(date))) ago"
    case nil: "unreadable"
    }
  }

  /// Rows as a table with a head, columns padded to their widest; the last one is not.
  static func table(_ rows: [SessionRow], now: Date) -> String {
    let lines = [heads] + rows.map { $0.columns(now: now) }
    let widths = heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      zip(line, widths).enumerated().map { column, cell in
        let isLast = column == heads.count - 1
        return cell.0 + (isLast ? "" : String(repeating: " ", count: cell.1 - cell.0.count + 2))
      }.joined() + "\n"
    }.joined()
  }
}
