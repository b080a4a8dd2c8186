/// The program's request to pause reading, and the limit for bytes that are read in spite of this request.
///
/// The client reads in spite of the request while a mark is pending. A mark is a point in the program's messages: it is reached
/// when all messages before it are on the gateway's disk. The gateway reports this by a `committed` message, which the client
/// receives only if it reads the socket.
struct ReadControl: Sendable {
  /// The maximum number of bytes that the client reads although the program has paused reading: 64 MiB. The client reads during a
  /// pause only while a mark is pending (a point in the program's messages that is not confirmed yet).
  static let markReadLimit = 64 << 20

  /// True unless the program has paused reading.
  private(set) var isWanted = true
  private var bytesReadDespitePause = 0
  private var wasReading = true

  /// True until `markReadLimit` bytes have been read during the present pause of the program. Until then, the client reads from
  /// the socket while a mark is pending (a point in the program's messages that is not confirmed yet).
  var allowsReadingForMark: Bool { bytesReadDespitePause < Self.markReadLimit }

  /// Records that the program wants to read (true) or to pause reading (false). Resets the count of bytes that were read during a
  /// pause.
  mutating func set(_ isWanted: Bool) {
    self.isWanted = isWanted
    bytesReadDespitePause = 0
  }

  /// Counts the bytes of entries that are received while the program pauses reading.
  mutating func count(_ bytes: Int) {
    if !isWanted { bytesReadDespitePause += bytes }
  }

  /// Records whether the socket is to be read now.
  ///
  /// - Returns: true if the value differs from the one recorded before.
  mutating func update(_ isReading: Bool) -> Bool {
    defer { wasReading = isReading }
    return isReading != wasReading
  }
}
