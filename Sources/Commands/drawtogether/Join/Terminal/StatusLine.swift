/// What is said below the picture: who is here, how much there is, and whether it is live.
struct StatusLine: Equatable {
  enum Connection: Equatable {
    case connecting
    case live
    case away
  }

  var people: [String] = []
  var marks = 0
  var attachments = 0
  var connection = Connection.connecting
  /// What the gateway says of the session, or what keeps us from it.
  var notice: String?

  /// All of it, of which the end may be cut off.
  var text: String {
    let state =
      switch connection {
      case .connecting: "connecting…"
      case .live: "live"
      case .away: "reconnecting…"
      }
    let shown = people.prefix(8).map { CellWidth.fitted(TextMark.line($0), to: 20) }.joined(separator: ", ")
    let more = people.count > 8 ? " and \(people.count - 8) more" : ""
    let parts = [
      state, people.isEmpty ? nil : "\(shown)\(more)", Self.counted(marks, "mark"),
      attachments == 0 ? nil : Self.counted(attachments, "file"), notice.map { TextMark.line($0) },
    ]
    return " " + parts.compactMap(\.self).joined(separator: " · ")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }
}
