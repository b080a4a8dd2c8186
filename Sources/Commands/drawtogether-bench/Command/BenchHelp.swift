/// What `--help` prints, made of the one table of flags.
enum BenchHelp {
  /// The help: what can be measured, what the figures mean, and every flag.
  static var text: String {
    var text = """
      drawtogether-bench: loads a gateway, or another broadcast server, from one thread, and says what came of it.

      Usage: drawtogether-bench WHAT --server URL [flags]


      """
    for mode in BenchMode.asked { text += line(mode.rawValue, mode.help) }
    text += """

      Delivered is a message that has come to a member other than its sender while it was measured, known by the mark and the
      time in its payload; with --count-echo also to the sender itself. Latency is the time from before its send to after the
      read that brought it. In closed loop (--window, --burst) the next message waits until one, or all, have come
      everywhere; in open loop (--rate) it is sent when it is due, and one that is late by 250 ms is left out and counted.
      A generator that is the bottleneck says so: starved in open loop, busy in closed loop.

      CPU per delivered is the whole of the server's process. The gateway's limits are those of a shared canvas:
      raise them for a load test (--max-entries-per-second, --max-bytes-per-second, --max-connections,
      --max-participants-per-session, --max-sessions-per-address-per-minute). It ends with 0, with 1 when the run broke off,
      and with 2 when it was asked wrongly.

      Flags, with their defaults, and what they are for where that is not everything:


      """
    for flag in BenchFlag.all {
      let modes = flag.modes.filter { $0 != .floorReader }
      guard !modes.isEmpty else { continue }
      let scope = modes == BenchMode.asked ? "" : " (\(modes.map(\.rawValue).joined(separator: ", ")))"
      text += line(
        [flag.name, flag.placeholder].compactMap(\.self).joined(separator: " "), flag.help + scope)
    }
    return text + line("--help", "print this")
  }

  private static func line(_ name: String, _ words: String) -> String {
    "  " + name + String(repeating: " ", count: max(1, 22 - name.utf8.count)) + words + "\n"
  }
}
