internal import Wire

/// The log and the counters of uploads.
extension Reactor {
  func logStart(of upload: UploadExchange, _ grant: UploadGrant) {
    let event = subject(of: upload, grant)
    if grant.offset > 0 {
      logger.log(.uploadResumed(event, offset: grant.offset, size: grant.size))
    } else {
      logger.log(.uploadStarted(event, size: grant.size))
    }
  }

  /// Logs that a request broke off before its end, unless its failure was logged already.
  func logCut(of upload: UploadExchange, _ grant: UploadGrant) {
    guard !upload.isNoted else { return }
    upload.isNoted = true
    logger.log(
      .uploadCut(
        subject(of: upload, grant), draining != nil ? .stopping : upload.cutCause, received: upload.received,
        isResumable: upload.request.isTus))
  }

  /// Logs that the bytes of a request were refused.
  func logFailure(of upload: UploadExchange, grant: UploadGrant?, _ code: ErrorCode) {
    upload.isNoted = true
    logger.log(.uploadFailed(subject(of: upload, grant ?? upload.grant), code, received: upload.received))
  }

  private func subject(of upload: UploadExchange, _ grant: UploadGrant?) -> PeerEvent.Upload {
    PeerEvent.Upload(
      session: upload.session, attachment: grant?.attachment, address: upload.clientAddress)
  }
}
