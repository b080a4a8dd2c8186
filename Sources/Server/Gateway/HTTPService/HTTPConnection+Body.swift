internal import HTTP

/// Receives the body of an upload directly into the upload's buffer, without copying bytes.
extension HTTPConnection {
  var bodyRoom: Int {
    guard let upload, !isBusy, !connection.hasPendingWrites else { return 0 }
    return min(request.reader.contentLeft, upload.bufferRoom)
  }

  func takeBodyBuffer(room: Int) -> [UInt8] {
    upload?.buffer.take(room: room) ?? []
  }

  func receiveBody(_ buffer: consuming [UInt8], added count: Int) {
    guard let upload else { return }
    upload.buffer.restore(buffer)
    guard count > 0 else { return }
    request.reader.skipContent(count)
    extendDeadline()
    service.uploads.received(count, of: upload)
    guard isActive else { return }
    // Handles the end of the body, or pauses the reading.
    var nothing: [UInt8] = []
    receive(&nothing, from: 0, upTo: 0)
  }
}
