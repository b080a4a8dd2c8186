internal import Primitives
internal import Networking
internal import Storage
internal import Platform

extension Gateway {
  /// What the data folder holds now, counted for so long at most. Blocks the calling thread.
  package func dataFigures(within limit: Duration) -> ReadyNotice.DataFigures {
    let used = shared.data.usedBytes(until: .now() + limit)
    return ReadyNotice.DataFigures(
      sessions: shared.store.flatMap { try? $0.sessions().count }, usedBytes: used.bytes,
      isWhole: used.isWhole,
      // Without it the line about the disk is a word shorter.
      freeBytes: try? shared.data.freeBytes())
  }

  /// When the operator's certificate ends, in seconds since 1970; `nil` without one.
  package var certificateEnd: Int64? {
    guard shared.configuration.certificateFile != nil else { return nil }
    return shared.keeper?.holder.current.certificate.notAfter
  }

  /// One sentence, without a full stop, where the certificate is not for the public address.
  package var certificateWarnings: [String] {
    guard let keeper = shared.keeper else { return [] }
    return ConfigurationWarnings.ofNames(keeper.holder.current, shared.configuration)
  }
}
