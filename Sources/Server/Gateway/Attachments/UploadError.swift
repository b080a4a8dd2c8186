internal import Storage
internal import Wire

/// The reason why the bytes of an upload were not written or not accepted.
enum UploadError: Error {
  /// A newer request has the lease.
  case superseded
  /// All bytes have arrived already.
  case finished
  /// The attachment was removed.
  case removed
  /// The first byte of the piece is not at the upload's offset. The value is the upload's offset.
  case offset(UInt64)
  /// The piece does not match its checksum, and was removed from the file. The value is the upload's offset after the removal.
  case checksum(UInt64)
  /// The bytes would use disk space that must stay free. `reserve` is the size of this space, and `free` is the present free
  /// space, both in bytes.
  case reserve(free: UInt64, reserve: UInt64)
  case storage(StorageError)
}

extension UploadError {
  /// The refusal to send to the client.
  var refusal: Refusal {
    switch self {
    case .finished:
      return Refusal(.offsetMismatch, "This upload is already complete.")
    case .removed:
      return .noAttachment
    case .superseded:
      return Refusal(.offsetMismatch, "A newer request continues this upload.")
    case .offset(let offset):
      return .offsetMismatch(offset)
    case .checksum(let offset):
      var refusal = Refusal(
        .digestMismatch, "The bytes do not match Upload-Checksum; they were dropped.")
      refusal.offset = offset
      refusal.status = 460
      return refusal
    case .reserve(let free, let reserve):
      return Refusal(
        .storageFull,
        "The gateway's disk is full: \(free) bytes are left, and \(reserve) have to stay free.",
        limit: Int(clamping: reserve), actual: Int(clamping: free))
    case .storage(let error):
      if error.isOutOfDescriptors { return .outOfDescriptors }
      return error.isFull
        ? Refusal(.storageFull, "There is no space left for attachments.")
        : Refusal(.internal, "The file could not be written.")
    }
  }
}
