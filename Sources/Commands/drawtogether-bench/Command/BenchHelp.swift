/// The output of `--help`, generated from the table of flags.
enum BenchHelp {
  /// The help: the modes, the meaning of the figures, and every flag.
  static var text: String {
    var text = """
      drawtogether-bench: generates load on a gateway, or on another broadcast server, and reports the results.

      Usage: drawtogether-bench MODE --server URL [flags]


      """
    for mode in BenchMode.public { text += line(mode.rawValue, mode.help) }
    text += """

      A message counts as delivered when a member other than its sender receives it during the measurement; with --count-echo
      also when the sender receives it. A mark at the beginning of the payload contains the sender and the send time. Latency is
      the time from before the send call to after the read call that returned the message. In a closed loop, the next message is
      sent when one earlier message has been delivered to all members (--window), or when all earlier messages have been
      (--burst). In an open loop (--rate), messages are sent on schedule; a message that is late by more than 250 ms is
      skipped and counted. If the generator is the bottleneck, the report says so: starved in an open loop, busy in a closed loop.

      CPU per delivered message counts the whole process of the server. The gateway's default limits are those of a shared
      canvas. Raise them for a load test: --max-entries-per-second, --max-bytes-per-second, --max-connections,
      --max-participants-per-session, --max-sessions-per-address-per-minute. Exit codes: 0 success, 1 the run failed,
      2 invalid arguments.

      Flags. Defaults are in brackets. The modes are in parentheses if a flag is not for all modes.


      """
    for flag in BenchFlag.all {
      let modes = flag.modes.filter { $0 != .floorReader }
      guard !modes.isEmpty else { continue }
      let scope = modes == BenchMode.public ? "" : " (\(modes.map(\.rawValue).joined(separator: ", ")))"
      text += line(
        [flag.name, flag.placeholder].compactMap(\.self).joined(separator: " "), flag.help + scope)
    }
    return text + line("--help", "print this help")
  }

  private static func line(_ name: String, _ description: String) -> String {
    "  " + name + String(repeating: " ", count: max(1, 22 - name.utf8.count)) + description + "\n"
  }
}
