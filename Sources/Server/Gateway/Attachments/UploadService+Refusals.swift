internal import FoundationEssentials
internal import Wire

/// The refusals of uploads, and the log lines about uploads.
extension UploadService {
  /// Refuses an upload because a chunk of its body announces too many bytes.
  func bodyIsTooLarge(_ announced: Int, for upload: Upload) {
    switch upload.state {
    case .answered(let answer):
      upload.state = .over
      refuse(upload, answer)
    case .streaming(let lease):
      let (sum, isTooLarge) = lease.offset.addingReportingOverflow(UInt64(clamping: announced))
      let end = isTooLarge ? .max : sum
      let refusal: Refusal =
        if let size = lease.size {
          .beyondLength(end, length: size)
        } else {
          .tooLarge(atLeast: end, limit: limits.attachmentBytes)
        }
      logFailure(of: upload, refusal.code)
      refuse(upload, .problem(refusal))
    case .opening, .finishing, .leaving, .over:
      // In these states, the gateway reads no bytes of the upload's body, so there is nothing to refuse.
      break
    }
  }

  /// Logs that an upload began.
  func logStart(of upload: Upload, _ lease: UploadLease) {
    if lease.offset > 0 {
      logger.log(.uploadResumed(upload.subject, offset: lease.offset, size: lease.size))
    } else {
      logger.log(.uploadStarted(upload.subject, size: lease.size))
    }
  }

  /// Logs that an upload was interrupted, unless its failure is logged already.
  func logCut(of upload: Upload) {
    guard !upload.isFailureLogged else { return }
    upload.isFailureLogged = true
    logger.log(
      .uploadCut(
        upload.subject, isStopping ? .stopping : upload.cutCause, received: upload.received,
        isResumable: upload.request.isTus))
  }

  /// Logs that the bytes of an upload are refused.
  func logFailure(of upload: Upload, _ code: ErrorCode) {
    upload.isFailureLogged = true
    logger.log(.uploadFailed(upload.subject, code, received: upload.received))
  }
}

extension Upload {
  /// The fields for an upload's log lines.
  fileprivate var subject: PeerEvent.Upload {
    PeerEvent.Upload(session: session, attachment: attachment, address: clientAddress)
  }
}

extension Refusal {
  static var damagedAttachment: Refusal {
    var refusal = Refusal(
      .internal, "The attachment was damaged on the gateway's disk and cannot be loaded.")
    refusal.damaged = true
    return refusal
  }

  /// The time after which a client may retry an upload that got no slot, or that was evicted.
  static let uploadRetryMs: UInt64 = 2000

  static func tooManyUploads(_ words: String, _ limit: Int, _ actual: Int) -> Refusal {
    var refusal = Refusal(.tooMany, "\(words): try again in a moment.", limit: limit, actual: actual)
    refusal.retryAfterMs = uploadRetryMs
    return refusal
  }
}
