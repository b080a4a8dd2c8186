internal import Platform
internal import Wire

/// What the log and the counters are told of uploads.
extension Reactor {
  /// A request was given a place.
  func noteStarted(_ upload: UploadExchange, _ grant: UploadGrant) {
    counters.uploadsStarted += 1
    let isResumed = grant.offset > 0
    if isResumed { counters.uploadsResumed += 1 }
    guard isTold(&uploadLines) else { return }
    if isResumed {
      shared.log(
        .info, "upload resumed",
        [
          "session": .session(upload.session), "attachment": "\(grant.attachment)",
          "remote": .address(upload.clientAddress),
          "offset": .number(grant.offset), "size": .number(grant.size ?? 0),
        ])
    } else {
      shared.log(
        .info, "upload started",
        [
          "session": .session(upload.session), "attachment": "\(grant.attachment)",
          "remote": .address(upload.clientAddress),
          "size": .number(grant.size ?? 0),
        ])
    }
  }

  /// The request breaks off before its end, unless the log has been told already why.
  func noteCut(_ upload: UploadExchange, _ grant: UploadGrant) {
    guard !upload.isNoted else { return }
    upload.isNoted = true
    let cause: UploadCut = draining != nil ? .stopping : upload.cutCause
    counters.uploadsCut[cause] += 1
    guard isTold(&uploadLines) else { return }
    shared.log(
      .info, "upload cut",
      [
        "session": .session(upload.session), "attachment": "\(grant.attachment)",
        "remote": .address(upload.clientAddress),
        "reason": "\(cause.rawValue)", "received": .number(upload.received),
        "mayGoOn": .boolean(upload.request.isTus),
      ])
  }

  /// What was brought is not taken.
  func noteFailed(_ upload: UploadExchange, grant: UploadGrant?, _ code: ErrorCode) {
    upload.isNoted = true
    counters.refusals[code] += 1
    counters.uploadFailures[code] += 1
    guard isTold(&refusalLines) else { return }
    shared.log(
      .info, "upload failed",
      [
        "session": .session(upload.session),
        "attachment": "\((grant ?? upload.grant).map { "\($0.attachment)" } ?? "")",
        "remote": .address(upload.clientAddress), "code": "\(code.rawValue)",
        "received": .number(upload.received),
      ])
  }
}
