/// The counters in the Prometheus text format (version 0.0.4), each metric with its help and its type.
package struct MetricsText {
  /// What is told of the program and its process, besides the counters.
  package struct Build: Equatable, Sendable {
    package var version: String
    package var swiftVersion: String
    package var openSSLVersion: String
    /// Whole seconds since 1970 at which the process started.
    package var startTime: Int64
    /// What all sessions together may hold in memory.
    package var memoryBytes: Int

    /// The facts as given.
    package init(
      version: String, swiftVersion: String, openSSLVersion: String, startTime: Int64, memoryBytes: Int
    ) {
      self.version = version
      self.swiftVersion = swiftVersion
      self.openSSLVersion = openSSLVersion
      self.startTime = startTime
      self.memoryBytes = memoryBytes
    }
  }

  /// The media type of the text.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private let counters: Counters
  private let build: Build
  private var text = ""

  /// The text of these counters.
  package static func render(_ counters: Counters, build: Build) -> String {
    var page = MetricsText(counters: counters, build: build)
    page.appendAll()
    return page.text
  }

  private init(counters: Counters, build: Build) {
    self.counters = counters
    self.build = build
  }

  private mutating func appendAll() {
    appendBuild()
    appendFamily(
      "sockets", type: "gauge",
      help: "Sockets open, by what they speak; those under TLS are also counted as tls.",
      label: "kind",
      MetricList.sockets.map { ($0.name, String(counters[keyPath: $0.value])) })
    for gauge in MetricList.gauges {
      append(gauge.name, type: "gauge", help: gauge.help, value: String(counters[keyPath: gauge.value]))
    }
    append(
      "log_limit_bytes", type: "gauge", help: "What log_bytes may come to: memoryBytes of /api/limits.",
      value: String(build.memoryBytes))
    for count in MetricList.counts {
      append(count.name, type: "counter", help: count.help, value: String(counters[keyPath: count.value]))
    }
    appendTally(
      "http_responses_total", "HTTP answers, by status.", label: "status", counters.answers.labelled)
    appendTally(
      "websocket_closes_total", "WebSockets closed, by the close code that we sent.", label: "code",
      counters.closes.labelled)
    appendTally(
      "arrivals_total", "Joins of sessions: new, or resumed by tail or by snapshot.", label: "kind",
      counters.arrivals.labelled)
    appendTally(
      "refused_total", "Entries, control messages and requests refused, by error code.", label: "code",
      counters.refusals.labelled)
  }

  private mutating func appendBuild() {
    appendHead("build_info", type: "gauge", help: "Always 1; the labels say what is running.")
    text += "drawtogether_build_info{version=\"\(Self.escaped(build.version))\""
    text +=
      ",swift=\"\(Self.escaped(build.swiftVersion))\",openssl=\"\(Self.escaped(build.openSSLVersion))\"} 1\n"
    // The name that every Prometheus client library gives it, so that common dashboards find it.
    text += "# HELP process_start_time_seconds Start time of the process since the Unix epoch in seconds.\n"
    text += "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds \(build.startTime)\n"
  }

  private mutating func append(_ name: String, type: String, help: String, value: String) {
    appendHead(name, type: type, help: help)
    text += "drawtogether_\(name) \(value)\n"
  }

  private mutating func appendTally(
    _ name: String, _ help: String, label: String, _ values: [(label: String, count: UInt64)]
  ) {
    appendFamily(name, type: "counter", help: help, label: label, values.map { ($0.label, String($0.count)) })
  }

  private mutating func appendFamily(
    _ name: String, type: String, help: String, label: String, _ values: [(String, String)]
  ) {
    appendHead(name, type: type, help: help)
    for (key, value) in values {
      text += "drawtogether_\(name){\(label)=\"\(Self.escaped(key))\"} \(value)\n"
    }
  }

  private mutating func appendHead(_ name: String, type: String, help: String) {
    text += "# HELP drawtogether_\(name) \(help)\n# TYPE drawtogether_\(name) \(type)\n"
  }

  private static func escaped(_ label: String) -> String {
    var escaped = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
