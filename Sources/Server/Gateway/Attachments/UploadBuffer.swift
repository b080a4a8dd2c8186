/// The received bytes of an upload that are not in its file yet.
///
/// One buffer is filled while the bytes of the other buffer are written. Then the two buffers are swapped. They keep their
/// memory, because the kernel would otherwise clear new memory for each piece of a file.
struct UploadBuffer {
  private var received: [UInt8] = []
  /// The bytes that are being written to the file; empty between two writes.
  private(set) var writing: [UInt8] = []

  /// The number of bytes that wait for the next write.
  var count: Int { received.count }
  var isEmpty: Bool { received.isEmpty }

  mutating func append(_ bytes: ArraySlice<UInt8>) {
    received.append(contentsOf: bytes)
  }

  /// Removes and returns the waiting bytes, with capacity for `room` more. The caller appends bytes and passes the result to
  /// `restore`.
  mutating func take(room: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &received)
    bytes.reserveCapacity(bytes.count + room)
    return bytes
  }

  /// Sets the waiting bytes to `bytes`: the bytes that `take` returned, and the bytes that the caller appended to them.
  mutating func restore(_ bytes: consuming [UInt8]) {
    received = bytes
  }

  /// Moves all waiting bytes to `writing`.
  mutating func beginWriting() {
    swap(&received, &writing)
  }

  /// Removes the bytes in `writing`, which have been written.
  mutating func endWriting() {
    writing.removeAll(keepingCapacity: true)
  }

  /// Removes the waiting bytes, which will not be written.
  mutating func dropWaiting() {
    received = []
  }
}
