internal import Primitives
internal import Networking
internal import Glibc
internal import HTTP
internal import Storage
internal import Platform
internal import Wire

/// Attachments on their way out: read on a file thread, as fast as the socket takes them.
extension Reactor {
  /// How a transfer goes on.
  enum TransferState {
    case done
    /// There is more to do at once.
    case ready
    /// The socket or the file thread will say when.
    case waiting
  }

  /// Sends what of the file the socket takes now.
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
    guard let connection = connections[key], case .http(let http) = connection.state,
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
    if !shared.holdsMuch { readPiece(of: transfer, connection.key) }
    let taken = write(transfer.piece, transfer.pieceRange, on: connection)
    guard taken > 0 else { return .waiting }
    connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
    transfer.pieceRange = transfer.pieceRange.lowerBound + taken..<transfer.pieceRange.upperBound
    transfer.range = transfer.range.lowerBound + UInt64(taken)..<transfer.range.upperBound
    if transfer.pieceRange.isEmpty { transfer.piece = [] }
    countHeld(by: connection)
    return transfer.range.isEmpty ? .done : .ready
  }

  /// Has the next piece read, unless it is there or on its way.
  private func readPiece(of transfer: FileTransfer, _ key: Connection.Key) {
    guard !transfer.isReading, transfer.nextPiece == nil, transfer.readUpTo < transfer.range.upperBound
    else { return }
    transfer.isReading = true
    let start = transfer.readUpTo
    let most = shared.holdsMuch ? FileTransfer.smallPieceBytes : FileTransfer.pieceBytes
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
    guard let connection = connections[key], case .http(let http) = connection.state,
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

  /// The length was promised: there is no way to take it back but to break off.
  private func broken(_ connection: Connection, _ error: StorageError) {
    shared.log(.error, "attachment not read", ["reason": "\(error)"])
    lost(connection, reason: "\(error)")
  }
}
