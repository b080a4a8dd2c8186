internal import CLinux
internal import Glibc

/// The values of this process that are also reported by Prometheus' client libraries. Unknown values are nil.
package struct ProcessFigures: Equatable, Sendable {
  /// The CPU time of all threads in seconds, in user space and in the kernel.
  package var cpuSeconds: Double?
  package var residentBytes: UInt64?
  package var virtualBytes: UInt64?
  package var openDescriptors: UInt64?
  package var descriptorLimit: UInt64?
  package var threads: UInt64?

  /// Creates a value whose properties are all nil.
  package init() {}

  /// Reads the values from the system. The duration of this call grows with the number of open descriptors and can reach
  /// milliseconds, so a reactor must not make the call.
  package static func now() -> ProcessFigures {
    var figures = ProcessFigures()
    var raw = clinux_process_figures()
    unsafe clinux_process_look(&raw)
    if raw.cpu_nanoseconds >= 0 { figures.cpuSeconds = Double(raw.cpu_nanoseconds) / 1e9 }
    figures.residentBytes = UInt64(exactly: raw.resident_bytes)
    figures.virtualBytes = UInt64(exactly: raw.virtual_bytes)
    figures.openDescriptors = UInt64(exactly: raw.open_descriptors)
    figures.descriptorLimit = UInt64(exactly: raw.descriptor_limit)
    figures.threads = UInt64(exactly: raw.threads)
    return figures
  }
}
