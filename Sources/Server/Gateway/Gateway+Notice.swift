internal import Primitives
package import Networking
internal import SessionCore
internal import Storage
internal import Platform

extension Gateway {
  /// The number of sessions and the used and free bytes of the data folder.
  package struct DataFolderUsage: Equatable, Sendable {
    /// The number of stored sessions; nil when sessions are in memory only.
    package var sessions: Int?
    /// The total size of all files of sessions in bytes.
    package var usedBytes: UInt64
    /// False if `usedBytes` is too low, because the folder has more files than were counted within the time limit.
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

  /// Returns the usage of the data folder. Spends at most the time `limit` on counting bytes. Blocks the calling thread.
  package func dataFolderUsage(within limit: Duration) -> DataFolderUsage {
    let used = shared.data.usedBytes(until: .now() + limit)
    return DataFolderUsage(
      sessions: shared.saving == .inMemory ? nil : try? shared.store.sessions().count, usedBytes: used.bytes,
      isWhole: used.isWhole,
      // If this call fails, the start notice omits the free space.
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
