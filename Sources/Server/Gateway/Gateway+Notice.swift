internal import Primitives
package import Networking
internal import SessionCore
internal import Storage
internal import Platform

extension Gateway {
  /// The contents of the data folder when the gateway starts.
  package struct DataFolderUsage: Equatable, Sendable {
    /// The number of saved sessions; nil when sessions live in memory only.
    package var sessions: Int?
    /// The sum of the sizes of all session files in bytes.
    package var usedBytes: UInt64
    /// False when counting was stopped at the time limit, because the folder has too many files.
    package var isWhole: Bool
    /// The bytes that can still be written; nil if the system does not report them.
    package var freeBytes: UInt64?

    /// Creates a value from its parts.
    package init(sessions: Int?, usedBytes: UInt64, isWhole: Bool, freeBytes: UInt64?) {
      self.sessions = sessions
      self.usedBytes = usedBytes
      self.isWhole = isWhole
      self.freeBytes = freeBytes
    }
  }

  /// Returns the contents of the data folder. Counts for at most `limit`. Blocks the calling thread.
  package func dataFolderUsage(within limit: Duration) -> DataFolderUsage {
    let used = shared.data.usedBytes(until: .now() + limit)
    return DataFolderUsage(
      sessions: shared.saving == .inMemory ? nil : try? shared.store.sessions().count, usedBytes: used.bytes,
      isWhole: used.isWhole,
      // If this fails, the notice does not mention the free space.
      freeBytes: try? shared.data.freeBytes())
  }

  /// The expiry time of the operator's certificate, in seconds since 1970; nil without such a certificate.
  package var certificateEnd: Int64? {
    guard shared.configuration.certificateFile != nil else { return nil }
    return shared.keeper?.holder.current.certificate.notAfter
  }

  /// The TLS context with the certificate in use; nil while https is off.
  package var certificateInUse: TLSServerContext? { shared.keeper?.holder.current }
}
