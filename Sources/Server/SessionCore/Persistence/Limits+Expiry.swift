package import Wire

extension Limits {
  /// Returns the seconds for which a session without participants is kept, in memory and on disk.
  ///
  /// - Parameters:
  ///   - retainedBytes: the bytes of its retained entries.
  ///   - isDamaged: true when damaged bytes of the session are kept, or its participants are still to be informed of a loss.
  /// - Returns: `emptySessionKeepSeconds` if the session has no content; otherwise `sessionKeepSeconds`.
  package func keepSeconds(retainedBytes: Int, isDamaged: Bool) -> Int {
    retainedBytes == 0 && !isDamaged ? emptySessionKeepSeconds : sessionKeepSeconds
  }
}
