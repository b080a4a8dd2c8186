internal import Synchronization
internal import Networking
internal import Platform
internal import Primitives

/// Reloads the certificate when its files change, and logs warnings about its validity period.
///
/// The keeper has its own thread, because reading files from a network file system can be slow.
actor CertificateKeeper {
  /// The time between two checks of the files.
  static let checkInterval = Duration.seconds(1)
  /// The time for which a key encrypts new session tickets. A ticket is valid for twice this time, so a key still decrypts
  /// tickets for two more such periods.
  static let ticketKeyTime = Duration.seconds(3600)
  /// The time between two log lines about a certificate that is expiring, expired or not yet valid.
  private static let noticeInterval = Duration.seconds(86_400)

  nonisolated let holder: TLSServerContextHolder
  private let failures = Atomic<UInt64>(0)
  private let executor: BlockingExecutor
  private let source: CertificateSource
  private let log: Log
  private var watch: CertificateWatch
  private var rotateAt: MonotonicTime
  private var noticeAt: MonotonicTime

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates the keeper of a certificate with its key. This pair was read from `source` and is used from now on.
  init(
    _ pair: CertificateSource.Pair, from source: CertificateSource, log: Log, on executor: BlockingExecutor,
    now: MonotonicTime = .now()
  ) {
    self.executor = executor
    self.source = source
    self.log = log
    holder = TLSServerContextHolder(pair.context)
    watch = CertificateWatch(inForce: pair.versions)
    rotateAt = now + Self.ticketKeyTime
    noticeAt = now
  }

  /// The number of failed attempts to read a new certificate with its key.
  nonisolated var reloadFailures: UInt64 { failures.load(ordering: .relaxed) }

  /// Performs the tasks that are due: reads changed files, rotates the ticket key, renews a self-signed certificate, and logs an
  /// expiring certificate. Called once per `checkInterval`.
  func check(now: MonotonicTime = .now(), date: WallTime = .now()) {
    if rotateAt <= now {
      rotateAt = now + Self.ticketKeyTime
      if !holder.current.rotateTicketKeys() { log(.error, "ticket key not changed") }
      renew(date: date)
    }
    if watch.check(source.versions) { read(now: now, isRequested: false) }
    if noticeAt <= now { logValidity(now: now, date: date) }
  }

  /// Reads both files immediately, even if they have not changed, and logs the result.
  func reload(now: MonotonicTime = .now(), date: WallTime = .now()) {
    read(now: now, isRequested: true)
    logValidity(now: now, date: date)
  }

  private func read(now: MonotonicTime, isRequested: Bool) {
    do throws(CertificateError) {
      let pair = try source.read()
      let hadFailed = watch.didRead(pair.versions)
      let isNew = pair.context.certificate.chain != holder.current.certificate.chain
      // If only the modification times of the files have changed, the TLS context is kept: a new context would invalidate the
      // session tickets.
      if isNew { holder.replace(with: pair.context) }
      // After a logged failure, the next successful read is logged even if the certificate that was read is already in use.
      guard isNew || isRequested || hadFailed else { return }
      log(.info, "certificate reloaded", pair.context.certificate.logFields)
      if isNew { noticeAt = now }
    } catch {
      failures.add(1, ordering: .relaxed)
      guard watch.didFail("\(error)", now: now, isRequested: isRequested) else { return }
      log(.error, "certificate not reloaded", ["reason": "\(error)"])
    }
  }

  /// Renews a self-signed certificate before it expires. The next check reads the new files.
  private func renew(date: WallTime) {
    do throws(CertificateError) {
      guard let reason = try source.makeIfNeeded(now: date) else { return }
      log(.info, "certificate made", ["reason": "\(reason)"])
    } catch {
      log(.error, "certificate not made", ["reason": "\(error)"])
    }
  }

  private func logValidity(now: MonotonicTime, date: WallTime) {
    noticeAt = now + Self.noticeInterval
    let certificate = holder.current.certificate
    switch CertificateValidity(notBefore: certificate.notBefore, notAfter: certificate.notAfter, now: date) {
    case .valid: break
    case .notYetValid: log(.warning, "certificate is not valid yet", certificate.logFields)
    case .expiring: log(.warning, "certificate expires soon", certificate.logFields)
    case .expired: log(.error, "certificate has expired", certificate.logFields)
    }
  }
}

extension ServerCertificate {
  /// The log fields that identify the certificate.
  var logFields: KeyValuePairs<String, LogValue> {
    [
      "subject": .string(subject), "names": .string(names),
      "begins": "\(LogTime(millisecondsSince1970: notBefore * 1000))",
      "expires": "\(LogTime(millisecondsSince1970: notAfter * 1000))", "sha256": "\(fingerprint)",
    ]
  }
}
