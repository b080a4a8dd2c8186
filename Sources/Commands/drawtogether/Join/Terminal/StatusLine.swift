/// The line below the picture: participants, number of items, and connection state.
struct StatusLine: Equatable {
  enum Connection: Equatable {
    case connecting
    case live
    case away
  }

  var participants: [String] = []
  var marks = 0
  var attachments = 0
  var connection = Connection.connecting
  /// A message of the gateway, or the reason for a lost connection.
  var notice: String?

  /// The whole line, which may be cut at its end.
  var text: String {
    let state =
      switch connection {
      case .connecting: "connecting…"
      case .live: "live"
      case .away: "reconnecting…"
      }
    let shown = participants.prefix(8).map { CellWidth.fitted(TextMark.line($0), to: 20) }.joined(
      separator: ", ")
    let more = participants.count > 8 ? " and \(participants.count - 8) more" : ""
    let parts = [
      state, participants.isEmpty ? nil : "\(shown)\(more)", Self.counted(marks, "mark"),
      attachments == 0 ? nil : Self.counted(attachments, "file"), notice.map { TextMark.line($0) },
    ]
    return " " + parts.compactMap(\.self).joined(separator: " · ")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }
}
