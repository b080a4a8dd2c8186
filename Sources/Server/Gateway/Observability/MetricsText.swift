/// The metrics in the Prometheus text format (version 0.0.4), each with its help and type.
package struct MetricsText {
  /// The versions and the start time of the process.
  package struct Build: Equatable, Sendable {
    package var version: String
    package var swiftVersion: String
    package var openSSLVersion: String
    /// The start time of the process in whole seconds since 1970.
    package var startTime: Int64

    /// Creates the description of a build from its values.
    package init(version: String, swiftVersion: String, openSSLVersion: String, startTime: Int64) {
      self.version = version
      self.swiftVersion = swiftVersion
      self.openSSLVersion = openSSLVersion
      self.startTime = startTime
    }
  }

  /// The media type of the text.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private let counters: Counters
  private let status: GatewayStatus
  private let process: ProcessFigures
  private let build: Build
  private var text = ""

  /// Returns the text of all metrics.
  package static func render(
    _ counters: Counters, _ status: GatewayStatus, _ process: ProcessFigures, build: Build
  ) -> String {
    var metrics = MetricsText(counters: counters, status: status, process: process, build: build)
    metrics.text.reserveCapacity(65_536)
    metrics.appendAll()
    return metrics.text
  }

  private init(counters: Counters, status: GatewayStatus, process: ProcessFigures, build: Build) {
    self.counters = counters
    self.status = status
    self.process = process
    self.build = build
  }

  private mutating func appendAll() {
    appendBuild()
    appendProcess()
    appendStatus()
    appendFamily(
      "sockets", type: "gauge",
      help: "Open sockets by protocol; sockets with TLS are also counted as tls.",
      label: "kind",
      MetricList.sockets.map { ($0.name, String(counters[keyPath: $0.value])) })
    for gauge in MetricList.gauges {
      append(gauge.name, type: "gauge", help: gauge.help, value: String(counters[keyPath: gauge.value]))
    }
    for count in MetricList.counts {
      append(count.name, type: "counter", help: count.help, value: String(counters[keyPath: count.value]))
    }
    appendCounters(
      "http_responses_total", "HTTP responses, by status.", label: "status", counters.answers.labelled)
    appendCounters(
      "websocket_closes_total", "Closed WebSockets, by the close code that the gateway sent.", label: "code",
      counters.closes.labelled)
    appendCounters(
      "arrivals_total", "Joins of sessions, by kind: new, or resumed with a tail or a snapshot.",
      label: "kind",
      counters.arrivals.labelled)
    appendCounters(
      "refused_total", "Entries, control messages and requests refused, by error code.", label: "code",
      counters.refusals.labelled)
    appendCounters(
      "uploads_cut_total",
      "Upload requests that ended before their last byte, by reason: gone, stalled, slow or stopping.",
      label: "reason", counters.uploadsCut.labelled)
    appendCounters(
      "upload_failures_total", "Upload requests that failed after they got an upload slot, by error code.",
      label: "code", counters.uploadFailures.labelled)
    appendRequests()
    for time in MetricList.times { append(time.name, time.help, counters[keyPath: time.value]) }
    appendHead(
      "request_seconds", type: "histogram",
      help: "Time from the head of a request until the whole response was sent, by kind of request.")
    for kind in RequestTimes.Kind.allCases {
      append("request_seconds", counters.requestTimes[kind], label: "kind=\"\(kind.rawValue)\"")
    }
  }

  /// Appends the values of the gateway's status.
  private mutating func appendStatus() {
    gauge(
      "ready", "1 until the gateway begins to stop, then 0. /readyz reports the same state.",
      status.isReady ? 1 : 0)
    gauge(
      "storage_refusing",
      "1 while new sessions and uploads are refused because the disk is full or fails or dataBytes is reached.",
      status.refusesNewData ? 1 : 0)
    gauge("draining", "1 while the gateway is stopping, else 0.", status.isDraining ? 1 : 0)
    gauge(
      "disk_failing", "1 while sessions cannot be written to the disk, else 0.", status.isDiskFailing ? 1 : 0)
    if let free = status.freeBytes {
      gauge("disk_free_bytes", "Free bytes of the data folder's file system.", free)
    }
    gauge(
      "disk_reserve_bytes", "Bytes of the data folder's file system that must stay free.",
      status.reserveBytes)
    gauge("unsaved_bytes", "Bytes of entries that are not on the disk yet.", status.unsavedBytes)
    gauge(
      "log_limit_bytes", "Limit of log_bytes: the value memoryBytes in /api/limits.", status.memoryBytes)
    gauge(
      "connections_limit", "Limit of open connections: the value connections in /api/limits.",
      status.connectionsLimit)
    gauge("sessions_limit", "Limit of sessions: the value sessions in /api/limits.", status.sessionsLimit)
    gauge(
      "data_limit_bytes",
      "Limit of kept_log_bytes and kept_attachment_bytes together: the value dataBytes in /api/limits.",
      status.dataBytes)
    if let stored = status.stored {
      gauge("kept_sessions", "Sessions on the disk, including ended ones.", stored.sessions)
      gauge("kept_log_bytes", "Bytes of session logs on the disk.", stored.logBytes)
      gauge(
        "kept_attachment_bytes",
        "Bytes of attachments on the disk, including bytes that uploads have reserved.",
        stored.attachmentBytes)
    }
    if let ends = status.certificateEnds {
      gauge(
        "tls_certificate_not_after_seconds",
        "Expiry time of the certificate in use, in seconds since the Unix epoch.", ends
      )
    }
    if let failures = status.certificateReloadFailures {
      append(
        "tls_certificate_reload_failures_total", type: "counter",
        help: "Failed attempts to load new certificate files; the former certificate stays in use.",
        value: String(failures))
    }
    appendFamily(
      "loop_busy_seconds_total", type: "counter",
      help: "Busy time of an event loop in seconds. The rate of this counter is the busy share of the loop.",
      label: "reactor",
      status.loopBusySeconds.enumerated().map { (String($0.offset), String($0.element)) })
    append(
      "log_lines_lost_total", type: "counter",
      help: "Log lines that were lost because the buffer was full of lines that could not be written yet.",
      value: String(status.logLinesLost))
  }

  /// Appends the values of the process. Their names are those of Prometheus' client libraries, as common dashboards expect.
  private mutating func appendProcess() {
    func whole(_ value: UInt64?) -> String? { value.map { String($0) } }
    appendOfProcess(
      "cpu_seconds_total", type: "counter", "Total user and system CPU time spent in seconds.",
      process.cpuSeconds.map { "\($0)" })
    appendOfProcess(
      "resident_memory_bytes", "Resident memory size in bytes.", whole(process.residentBytes))
    appendOfProcess("virtual_memory_bytes", "Virtual memory size in bytes.", whole(process.virtualBytes))
    appendOfProcess("open_fds", "Number of open file descriptors.", whole(process.openDescriptors))
    appendOfProcess("max_fds", "Maximum number of open file descriptors.", whole(process.descriptorLimit))
    appendOfProcess("threads", "Number of threads.", whole(process.threads))
  }

  private mutating func appendOfProcess(
    _ name: String, type: String = "gauge", _ help: String, _ value: String?
  ) {
    guard let value else { return }
    text += "# HELP process_\(name) \(help)\n# TYPE process_\(name) \(type)\nprocess_\(name) \(value)\n"
  }

  private mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
    append(name, type: "gauge", help: help, value: String(value))
  }

  private mutating func appendRequests() {
    appendHead(
      "http_requests_total", type: "counter",
      help: "Answered HTTP requests, by route and class of status.")
    for (kind, status, count) in counters.requests.labelled {
      text += "drawtogether_http_requests_total{route=\"\(kind)\",status=\"\(status)\"} \(count)\n"
    }
  }

  private mutating func append(_ name: String, _ help: String, _ times: TimeHistogram) {
    appendHead(name, type: "histogram", help: help)
    append(name, times)
  }

  /// Appends the samples of one histogram.
  ///
  /// - Parameters:
  ///   - name: the name of the metric.
  ///   - times: the histogram.
  ///   - label: the label, such as `kind="api"`, if the metric has several histograms; empty if it has only one.
  private mutating func append(_ name: String, _ times: TimeHistogram, label: String = "") {
    let (first, only) = label.isEmpty ? ("", "") : ("\(label),", "{\(label)}")
    for (limit, count) in times.cumulative {
      text += "drawtogether_\(name)_bucket{\(first)le=\"\(limit)\"} \(count)\n"
    }
    text += "drawtogether_\(name)_bucket{\(first)le=\"+Inf\"} \(times.total)\n"
    text += "drawtogether_\(name)_sum\(only) \(times.seconds)\n"
    text += "drawtogether_\(name)_count\(only) \(times.total)\n"
  }

  private mutating func appendBuild() {
    appendHead("build_info", type: "gauge", help: "Always 1; the labels are the versions.")
    text += "drawtogether_build_info{version=\"\(Self.escaped(build.version))\""
    text +=
      ",swift=\"\(Self.escaped(build.swiftVersion))\",openssl=\"\(Self.escaped(build.openSSLVersion))\"} 1\n"
    appendOfProcess(
      "start_time_seconds", "Start time of the process since the Unix epoch in seconds.", "\(build.startTime)"
    )
  }

  private mutating func append(_ name: String, type: String, help: String, value: String) {
    appendHead(name, type: type, help: help)
    text += "drawtogether_\(name) \(value)\n"
  }

  private mutating func appendCounters(
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
