internal import Synchronization
internal import Networking
internal import Platform
internal import Primitives

/// Sees to it that connections get the certificate that is in the files, and tells when it ends.
///
/// It reads files, so it has a thread of its own: one on a network file system may take long to answer.
actor CertificateKeeper {
  /// How often the files are looked at.
  static let lookInterval = Duration.seconds(1)
  /// How long one key seals session tickets; it opens them for two more of these, which is how long they are good.
  static let ticketKeyTime = Duration.seconds(3600)
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

  /// Keeps a pair that was read from its source; it is in force from now on.
  init(
    _ pair: CertificateSource.Pair, from source: CertificateSource, log: Log, on executor: BlockingExecutor,
    now: MonotonicTime = .now()
  ) {
    self.executor = executor
    self.source = source
    self.log = log
    holder = TLSServerContextHolder(pair.context)
    watch = CertificateWatch(taken: pair.marks)
    rotateAt = now + Self.ticketKeyTime
    noticeAt = now
  }

  /// The number of times that a new pair could not be read.
  nonisolated var reloadFailures: UInt64 { failures.load(ordering: .relaxed) }

  /// Does what is due; to be called once a `lookInterval`.
  func look(now: MonotonicTime = .now(), date: WallTime = .now()) {
    if rotateAt <= now {
      rotateAt = now + Self.ticketKeyTime
      if !holder.current.rotateTicketKeys() { log(.error, "ticket key not changed") }
      renew(date: date)
    }
    if watch.look(at: source.marks) { read(now: now, asked: false) }
    if noticeAt <= now { tellAge(now: now, date: date) }
  }

  /// Reads both files at once, and says what came of it.
  func reload(now: MonotonicTime = .now(), date: WallTime = .now()) {
    read(now: now, asked: true)
    tellAge(now: now, date: date)
  }

  private func read(now: MonotonicTime, asked: Bool) {
    do throws(TLSContextError) {
      let pair = try source.read()
      let wasBad = watch.took(pair.marks)
      let isNew = pair.context.certificate.chain != holder.current.certificate.chain
      // A file that was only touched takes nobody's session ticket away.
      if isNew { holder.replace(with: pair.context) }
      // Who was told of a failure hears that it is over, also when the old pair is back.
      guard isNew || asked || wasBad else { return }
      log(.info, "certificate reloaded", pair.context.certificate.logFields)
      if isNew { noticeAt = now }
    } catch {
      failures.add(1, ordering: .relaxed)
      guard watch.failed("\(error)", now: now, asked: asked) else { return }
      log(.error, "certificate not reloaded", ["reason": "\(error)"])
    }
  }

  /// One of our own making must not end while nobody looks.
  private func renew(date: WallTime) {
    do throws(SelfSignedCertificateError) {
      guard let reason = try source.makeIfNeeded(now: date) else { return }
      log(.info, "certificate made", ["reason": "\(reason)"])
    } catch {
      log(.error, "certificate not made", ["reason": "\(error)"])
    }
  }

  private func tellAge(now: MonotonicTime, date: WallTime) {
    noticeAt = now + Self.noticeInterval
    let certificate = holder.current.certificate
    switch CertificateAge(notBefore: certificate.notBefore, notAfter: certificate.notAfter, now: date) {
    case .valid: break
    case .notYetValid: log(.warning, "certificate is not valid yet", certificate.logFields)
    case .ending: log(.warning, "certificate expires soon", certificate.logFields)
    case .ended: log(.error, "certificate has expired", certificate.logFields)
    }
  }
}

extension ServerCertificate {
  /// What names it in a line of the log.
  var logFields: KeyValuePairs<String, LogValue> {
    [
      "subject": .string(subject), "names": .string(names),
      "begins": "\(LogTime(millisecondsSince1970: notBefore * 1000))",
      "expires": "\(LogTime(millisecondsSince1970: notAfter * 1000))", "sha256": "\(fingerprint)",
    ]
  }
}

extension Reactor {
  /// Has the certificate's files looked at, when it is time to.
  func watchCertificate() {
    guard number == 0, certificateLookAt <= now, draining == nil, let keeper = shared.keeper else { return }
    certificateLookAt = .distantFuture
    Task {
      await keeper.look()
      certificateLookAt = .now() + CertificateKeeper.lookInterval
    }
  }
}
