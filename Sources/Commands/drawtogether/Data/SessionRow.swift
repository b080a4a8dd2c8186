internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// A row of the list of sessions.
struct SessionRow {
  let id: SessionID
  /// The title; nil if the log cannot be read.
  var title: String?
  var createdAt: Date?
  /// The number of participants that ever joined.
  var people: Int?
  /// The state; nil if the log cannot be read.
  var state: SessionSurvey.State?
  /// The time of the last write to the log.
  var changedAt: Date
  /// The length of the log in bytes.
  var logBytes: UInt64
  /// The number of attachment files: complete contents and partial uploads.
  var files: Int
  var fileBytes: UInt64

  /// The row as a JSON object in one line.
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

  /// The headings of the columns.
  static let heads = ["SESSION", "AGE", "PEOPLE", "LOG", "FILES", "STATE", "TITLE"]

  /// Returns the columns of the row, with ages relative to `now`.
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

  /// Returns the rows as a table with headings. All cells of a column are padded to the same width, except in the last column.
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
