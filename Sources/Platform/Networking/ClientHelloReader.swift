/// A reader that collects the first message of a TLS client (RFC 8446 §4.1.2) until it is complete. OpenSSL, which allocates
/// some 45 KiB for a handshake, gets no bytes before the message is complete.
///
/// The reader checks only the headers of the records and of the message. OpenSSL checks everything else.
struct ClientHelloReader {
  /// The maximum number of bytes that are collected, including record headers. A ClientHello has a few hundred bytes, or 2,000
  /// with post-quantum keys.
  static let limitInBytes = 16_384
  /// The maximum number of bytes in a record (RFC 8446 §5.1).
  private static let recordLimitInBytes = 16_384
  private static let recordHeaderInBytes = 5
  private static let messageHeaderInBytes = 4

  /// The bytes that have been received.
  private(set) var bytes: [UInt8] = []
  /// The index of the first byte that is not checked yet.
  private var position = 0
  /// The number of bytes of the present record that have not arrived.
  private var recordBytesLeft = 0
  /// The number of bytes of the message that have been received, including its header.
  private var messageBytes = 0
  /// The received bytes of the message's type and length.
  private var messageHeader: UInt32 = 0

  /// Appends bytes from the client, and checks them.
  ///
  /// - Returns: true when the message and its last record are complete.
  /// - Throws: `ClientHelloError` at the first byte that no ClientHello can have, or that exceeds the maximum length.
  mutating func append(_ input: Span<UInt8>) throws(ClientHelloError) -> Bool {
    unsafe input.withUnsafeBufferPointer { input in unsafe bytes.append(contentsOf: input) }
    while position < bytes.count {
      if recordBytesLeft > 0 {
        try readRecord()
      } else {
        guard try readRecordHeader() else { break }
      }
    }
    if isComplete { return true }
    let limit = Self.limitInBytes
    guard bytes.count <= limit else { throw .tooLong(limit: limit, actual: bytes.count) }
    return false
  }

  private var isComplete: Bool {
    recordBytesLeft == 0 && messageBytes >= Self.messageHeaderInBytes && messageBytes >= messageLength
  }

  /// The length of the message with its header. It is valid when the header has arrived.
  private var messageLength: Int { Int(messageHeader & 0xFF_FFFF) + Self.messageHeaderInBytes }

  /// Reads the header of a record.
  /// - Returns: false, without consuming anything, when the header is incomplete.
  private mutating func readRecordHeader() throws(ClientHelloError) -> Bool {
    // Bytes after a complete message are passed to OpenSSL.
    guard !isComplete else {
      position = bytes.count
      return true
    }
    let available = bytes.count - position
    guard bytes[position] == 22 else { throw .otherRecord(type: bytes[position]) }
    guard available < 2 || bytes[position + 1] == 3 else { throw .otherVersion(major: bytes[position + 1]) }
    guard available >= Self.recordHeaderInBytes else { return false }
    let length = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
    guard length <= Self.recordLimitInBytes else { throw .recordTooLong(length) }
    // RFC 8446 §5.1: no fragment of a handshake message is empty.
    guard length > 0 else { throw .emptyRecord }
    position += Self.recordHeaderInBytes
    recordBytesLeft = length
    return true
  }

  private mutating func readRecord() throws(ClientHelloError) {
    var count = min(recordBytesLeft, bytes.count - position)
    recordBytesLeft -= count
    while messageBytes < Self.messageHeaderInBytes, count > 0 {
      messageHeader = messageHeader << 8 | UInt32(bytes[position])
      if messageBytes == 0, messageHeader != 1 { throw .otherMessage(type: bytes[position]) }
      position += 1
      messageBytes += 1
      count -= 1
    }
    position += count
    messageBytes += count
    guard messageBytes < Self.messageHeaderInBytes || messageLength <= Self.limitInBytes else {
      throw .tooLong(limit: Self.limitInBytes, actual: messageLength)
    }
  }
}

/// A defect in a client's first bytes: they are not a valid ClientHello.
package enum ClientHelloError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The first record is not a handshake record.
  case otherRecord(type: UInt8)
  /// The first byte of the record's version is not 3, the value of all TLS versions.
  case otherVersion(major: UInt8)
  case recordTooLong(Int)
  case emptyRecord
  case otherMessage(type: UInt8)
  case tooLong(limit: Int, actual: Int)

  /// The defect in words, for a log.
  package var description: String {
    switch self {
    case .otherRecord(let type): "the first record is not of a TLS handshake (type \(type))"
    case .otherVersion(let major): "a record has the major version \(major) instead of 3"
    case .recordTooLong(let length): "a record has \(length) bytes; the limit is 16384"
    case .emptyRecord: "a record of the ClientHello is empty"
    case .otherMessage(let type): "the first message is not a ClientHello (type \(type))"
    case .tooLong(let limit, let actual): "the ClientHello has \(actual) bytes; the limit is \(limit)"
    }
  }

  /// The fatal alert for the client (RFC 8446 §6.2); `nil` if the client does not speak TLS.
  var alert: UInt8? {
    switch self {
    // change_cipher_spec, alert, application_data
    case .otherRecord(let type): [20, 21, 23].contains(type) ? 10 : nil
    case .otherVersion: nil
    case .recordTooLong: 22
    case .emptyRecord, .otherMessage: 10
    case .tooLong: 47
    }
  }
}
