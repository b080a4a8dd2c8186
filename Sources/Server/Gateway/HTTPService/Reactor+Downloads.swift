internal import Primitives
internal import Networking
internal import Glibc
internal import HTTP
internal import Storage
internal import Platform
internal import Wire

/// Sends attachments: reads them on a file thread, as fast as the socket accepts them.
extension Reactor {
  /// The way in which a transfer continues.
  enum TransferState {
    case done
    /// More can be sent at once.
    case ready
    /// The socket or the file thread continues the transfer.
    case waiting
  }

  /// Sends as many bytes of the file as the socket accepts now.
  func pump(_ transfer: FileTransfer, _ connection: Connection) -> TransferState {
    guard !transfer.range.isEmpty else { return .done }
    return connection.tls == nil
      ? sendSlice(of: transfer, connection) : encryptPiece(of: transfer, connection)
  }

  // MARK: - In plain text

  private func sendSlice(of transfer: FileTransfer, _ connection: Connection) -> TransferState {
    guard !transfer.isSending, !connection.isWriteBlocked, !connection.hasPendingWrites else {
      return .waiting
    }
    transfer.isSending = true
    transfer.becameWritable = false
    let count = Int(min(UInt64(FileTransfer.sliceBytes), UInt64(transfer.range.count)))
    let key = connection.key
    Task {
      let outcome = await transfer.reader.send(at: transfer.range.lowerBound, count: count)
      sent(outcome, of: count, transfer, key)
    }
    return .waiting
  }

  private func sent(
    _ outcome: SendOutcome, of count: Int, _ transfer: FileTransfer, _ key: Connection.Key
  ) {
    transfer.isSending = false
    counters.values.sendCalls += 1
    guard let connection = connections[key], let http = connection.http,
      http.transfer === transfer
    else { return }
    switch outcome {
    case .sent(let taken):
      counters.values.bytesSent += UInt64(taken)
      transfer.range = transfer.range.lowerBound + UInt64(taken)..<transfer.range.upperBound
      connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
      connection.isWriteBlocked = taken < count && !transfer.becameWritable
    case .wouldBlock:
      connection.isWriteBlocked = !transfer.becameWritable
    case .failed(let error):
      lost(connection, reason: "\(error)")
      return
    case .unreadable(let error):
      broken(connection, error)
      return
    }
    pump(connection, http)
  }

  // MARK: - Under TLS

  private func encryptPiece(of transfer: FileTransfer, _ connection: Connection) -> TransferState {
    if transfer.pieceRange.isEmpty {
      guard let next = transfer.nextPiece else {
        readPiece(of: transfer, connection.key)
        return .waiting
      }
      transfer.nextPiece = nil
      transfer.piece = next
      transfer.pieceRange = 0..<next.count
    }
    if !io.counts.isMemoryTight { readPiece(of: transfer, connection.key) }
    let taken = write(transfer.piece, transfer.pieceRange, on: connection)
    guard taken > 0 else { return .waiting }
    connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
    transfer.pieceRange = transfer.pieceRange.lowerBound + taken..<transfer.pieceRange.upperBound
    transfer.range = transfer.range.lowerBound + UInt64(taken)..<transfer.range.upperBound
    if transfer.pieceRange.isEmpty { transfer.piece = [] }
    countHeld(by: connection)
    return transfer.range.isEmpty ? .done : .ready
  }

  /// Reads the next piece, unless it is there or being read.
  private func readPiece(of transfer: FileTransfer, _ key: Connection.Key) {
    guard !transfer.isReading, transfer.nextPiece == nil, transfer.readUpTo < transfer.range.upperBound
    else { return }
    transfer.isReading = true
    let start = transfer.readUpTo
    let most = io.counts.isMemoryTight ? FileTransfer.smallPieceBytes : FileTransfer.pieceBytes
    let count = Int(min(UInt64(most), transfer.range.upperBound - start))
    transfer.readUpTo = start + UInt64(count)
    Task {
      let result: Result<[UInt8], StorageError>
      do throws(StorageError) {
        result = .success(try await transfer.reader.read(at: start, count: count))
      } catch {
        result = .failure(error)
      }
      read(result, of: transfer, key)
    }
  }

  private func read(
    _ result: Result<[UInt8], StorageError>, of transfer: FileTransfer, _ key: Connection.Key
  ) {
    transfer.isReading = false
    guard let connection = connections[key], let http = connection.http,
      http.transfer === transfer
    else { return }
    switch result {
    case .success(let bytes):
      transfer.nextPiece = bytes
      countHeld(by: connection)
      guard transfer.pieceRange.isEmpty else { return }
      pump(connection, http)
    case .failure(let error):
      broken(connection, error)
    }
  }

  /// Breaks a download off. Its length is announced, so no error can be sent.
  private func broken(_ connection: Connection, _ error: StorageError) {
    shared.log(.error, "attachment not read", ["reason": "\(error)"])
    lost(connection, reason: "\(error)")
  }
}
