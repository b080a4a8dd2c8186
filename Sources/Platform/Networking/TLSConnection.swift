internal import Platform
internal import COpenSSL

/// One side of a TLS connection without a socket. It receives bytes and returns bytes.
///
/// The caller must send the returned ciphertext to the peer, in order. After an error the connection is unusable; the
/// returned ciphertext then ends with the alert for the peer and should still be sent.
@safe
package final class TLSConnection {
  /// The result of a call of `receive`, in addition to the bytes.
  package struct Progress: Equatable, Sendable {
    /// True if this call completed the handshake.
    package var hasCompletedHandshake = false
    /// True if the peer has closed its direction (`close_notify`).
    package var hasPeerClosed = false

    /// The result of a call that neither completed the handshake nor received the peer's `close_notify`. The call may have
    /// decrypted bytes.
    package static let none = Progress()
  }

  /// The maximum number of bytes for one call of `encrypt`.
  package static let encryptLimitInBytes = 65_536
  /// The maximum length of a record's plaintext in bytes (RFC 8446 §5.1).
  package static let recordLimitInBytes = 16_384

  enum Role {
    case server
    case client(host: String, resuming: TLSSession?)
  }

  private enum State {
    /// A server has not received a complete ClientHello: OpenSSL is not in use yet.
    case awaitingHello(ClientHelloReader)
    case handshaking
    case established
    case closedByPeer
    case failed(TLSError)
  }

  private let context: TLSContext
  /// The connection of OpenSSL; nil while the state is `awaitingHello`.
  private var ssl: OpaquePointer?
  private let buffers = TLSBuffers()
  private var state: State
  private var isClosed = false

  init(_ context: TLSContext, role: Role) {
    self.context = context
    switch role {
    case .server:
      state = .awaitingHello(ClientHelloReader())
    case .client(let host, let session):
      state = .handshaking
      makeSSL()
      prepareClient(host: host, session: session)
    }
  }

  deinit {
    unsafe SSL_free(ssl)
    ERR_clear_error()
  }

  /// Processes all ciphertext that arrived: drives the handshake, appends the decrypted bytes to `plaintext` (never more than
  /// arrived), and appends the ciphertext to send to `ciphertextOut`, even if it throws.
  ///
  /// Bytes after a `close_notify` are dropped (RFC 8446 §6.1).
  package func receive(
    _ ciphertext: Span<UInt8>, plaintext: inout [UInt8], ciphertextOut: inout [UInt8]
  ) throws(TLSError) -> Progress {
    switch state {
    case .failed(let error):
      throw error
    case .awaitingHello(var reader):
      // This assignment releases the reader that `state` holds. Otherwise, there would be two references to the reader's bytes,
      // and appending to the reader would copy these bytes.
      state = .handshaking
      guard try collectHello(ciphertext, in: &reader, &ciphertextOut) else {
        state = .awaitingHello(reader)
        return .none
      }
      makeSSL()
      unsafe SSL_set_accept_state(ssl)
      return try process(reader.bytes.span, &plaintext, &ciphertextOut)
    case .handshaking, .established, .closedByPeer:
      return try process(ciphertext, &plaintext, &ciphertextOut)
    }
  }

  private func process(
    _ ciphertext: Span<UInt8>, _ plaintext: inout [UInt8], _ ciphertextOut: inout [UInt8]
  ) throws(TLSError) -> Progress {
    try buffers.connect(from: ciphertext, to: &ciphertextOut) { () throws(TLSError) in
      ERR_clear_error()
      var progress = Progress()
      if case .handshaking = state {
        guard try performHandshake() else { return progress }
        progress.hasCompletedHandshake = true
      }
      try decrypt(into: &plaintext)
      progress.hasPeerClosed = hasPeerClosed
      return progress
    }
  }

  /// Encrypts the whole plaintext (at most `encryptLimitInBytes` bytes), and appends records of at most 16 KiB to
  /// `ciphertextOut`. Requires a complete handshake and no earlier `close`.
  package func encrypt(_ plaintext: Span<UInt8>, into ciphertextOut: inout [UInt8]) throws(TLSError) {
    if case .failed(let error) = state { throw error }
    precondition(isHandshakeComplete && !isClosed, "a TLS connection must be open to encrypt")
    precondition(
      plaintext.count <= Self.encryptLimitInBytes, "the plaintext is longer than encryptLimitInBytes")
    // A record has at most 29 bytes in addition to the plaintext: header, tag, and content type or nonce.
    let recordCount = plaintext.count / Self.recordLimitInBytes + 1
    ciphertextOut.reserveExtra(for: plaintext.count + recordCount * 64)
    try buffers.connect(from: Span(), to: &ciphertextOut) { () throws(TLSError) in
      ERR_clear_error()
      var rest = plaintext
      while !rest.isEmpty {
        var count = 0
        let status = unsafe rest.withUnsafeBufferPointer { rest in
          unsafe SSL_write_ex(ssl, rest.baseAddress, rest.count, &count)
        }
        guard status == 1 else { throw fail() }
        rest = rest.extracting(droppingFirst: count)
      }
    }
  }

  /// Announces the end of our direction (`close_notify`). Does nothing on a second call, or if the connection is not open.
  package func close(into ciphertextOut: inout [UInt8]) {
    guard isHandshakeComplete, !isClosed else { return }
    if case .failed = state { return }
    isClosed = true
    buffers.connect(from: Span(), to: &ciphertextOut) {
      // `SSL_shutdown` returns 0 if the peer has not closed its direction yet. This is not an error, so the result is ignored.
      _ = unsafe SSL_shutdown(ssl)
      ERR_clear_error()
    }
  }

  // MARK: - Negotiated parameters

  /// True if data can be sent.
  package var isHandshakeComplete: Bool {
    switch state {
    case .established, .closedByPeer: true
    case .awaitingHello, .handshaking, .failed: false
    }
  }

  /// True if the peer has sent its `close_notify`.
  package var hasPeerClosed: Bool {
    if case .closedByPeer = state { true } else { false }
  }

  /// True until a server has received a complete ClientHello. Until then the connection uses hardly any memory or CPU time.
  package var isAwaitingHello: Bool {
    if case .awaitingHello = state { true } else { false }
  }

  /// The protocol chosen by ALPN; `nil` if the client offered none.
  package var negotiatedProtocol: String? {
    guard isHandshakeComplete else { return nil }
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &bytes, &count)
    guard let bytes = unsafe bytes else { return nil }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// The version in use, once the handshake is complete.
  package var version: TLSVersion? {
    guard isHandshakeComplete else { return nil }
    let number = unsafe SSL_version(ssl)
    return TLSVersion.allCases.first { $0.number == number }
  }

  /// The cipher suite's name in the RFCs, such as `TLS_AES_256_GCM_SHA384`, once the handshake is complete.
  package var cipher: String? {
    guard isHandshakeComplete, let cipher = unsafe SSL_get_current_cipher(ssl),
      let name = unsafe SSL_CIPHER_standard_name(cipher)
    else { return nil }
    return unsafe String(cString: name)
  }

  /// True if the handshake resumed an earlier session.
  package var wasResumed: Bool {
    guard isHandshakeComplete else { return false }
    return unsafe SSL_session_reused(ssl) == 1
  }

  /// The TLS session that a client may resume later; `nil` before the server has sent a ticket.
  package var session: TLSSession? {
    guard isHandshakeComplete, let session = unsafe SSL_get1_session(ssl) else { return nil }
    return unsafe TLSSession(owning: session).ifResumable
  }

  // MARK: - Steps

  private func makeSSL() {
    guard let ssl = unsafe SSL_new(context.pointer) else {
      preconditionFailure("OpenSSL has no memory for a new TLS connection")
    }
    unsafe self.ssl = ssl
    let bio = unsafe buffers.makeBIO()
    // SSL_set_bio takes ownership of both references, which refer to the same object.
    unsafe SSL_set_bio(ssl, bio, bio)
  }

  /// Collects bytes of the ClientHello.
  /// - Returns: true when the ClientHello is complete.
  private func collectHello(
    _ ciphertext: Span<UInt8>, in reader: inout ClientHelloReader, _ ciphertextOut: inout [UInt8]
  ) throws(TLSError) -> Bool {
    do throws(ClientHelloError) {
      return try reader.append(ciphertext)
    } catch {
      // RFC 8446 §6: the fatal alert is sent in a separate record, as OpenSSL sends it.
      if let alert = error.alert { ciphertextOut += [21, 3, 3, 0, 2, 2, alert] }
      state = .failed(.invalidClientHello(error))
      throw .invalidClientHello(error)
    }
  }

  private func prepareClient(host: String, session: TLSSession?) {
    unsafe SSL_set_connect_state(ssl)
    let isSet: CInt
    if let address = IPAddress(host) {
      // RFC 6066 §3: an IP address must not be sent as the server name. So the address is used only to check the certificate.
      isSet = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), address.description)
    } else {
      isSet = unsafe copenssl_set_server_name(ssl, host) & SSL_set1_host(ssl, host)
    }
    precondition(isSet == 1, "OpenSSL refused the host name; the limit is 255 bytes")
    if let session { unsafe SSL_set_session(ssl, session.pointer) }
  }

  /// Continues the handshake.
  /// - Returns: `true` when the handshake is complete, `false` when bytes of the peer are missing.
  private func performHandshake() throws(TLSError) -> Bool {
    let status = unsafe SSL_do_handshake(ssl)
    if status == 1 {
      state = .established
      return true
    }
    guard unsafe SSL_get_error(ssl, status) == SSL_ERROR_WANT_READ else { throw fail() }
    return false
  }

  private func decrypt(into plaintext: inout [UInt8]) throws(TLSError) {
    while case .established = state {
      var status: CInt = 0
      plaintext.append(addingCapacity: Self.recordLimitInBytes) { room in
        unsafe room.withUnsafeMutableBufferPointer { room, initializedCount in
          status = unsafe SSL_read_ex(ssl, room.baseAddress, room.count, &initializedCount)
        }
      }
      if status == 1 { continue }
      switch unsafe SSL_get_error(ssl, status) {
      case SSL_ERROR_WANT_READ: return
      case SSL_ERROR_ZERO_RETURN: state = .closedByPeer
      default: throw fail()
      }
    }
  }

  private func fail() -> TLSError {
    let error = Self.error(from: .take(), verification: unsafe SSL_get_verify_result(ssl))
    state = .failed(error)
    return error
  }

  private static func error(from error: OpenSSLError, verification: Int) -> TLSError {
    let isOfTLS = error.library == ERR_LIB_SSL
    // OpenSSL reports a received alert as `SSL_AD_REASON_OFFSET` plus the number of the alert.
    if isOfTLS, error.reason >= SSL_AD_REASON_OFFSET,
      let alert = UInt8(exactly: error.reason - SSL_AD_REASON_OFFSET)
    {
      return .alertReceived(alert)
    }
    if isOfTLS, error.reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
      return .certificateNotTrusted(verification)
    }
    return .protocolViolation(error)
  }
}

/// A TLS session that a client may resume, with its ticket.
///
/// `@unchecked`, because OpenSSL counts references under a lock, and a TLS session is not changed after it has been returned.
@safe
package final class TLSSession: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit {
    unsafe SSL_SESSION_free(pointer)
  }

  var ifResumable: TLSSession? {
    unsafe SSL_SESSION_is_resumable(pointer) == 1 ? self : nil
  }
}

/// Detection of a peer's protocol on a TLS port.
package enum TLSRecord {
  /// Returns true if the first byte of a connection shows plain HTTP: an HTTP request begins with a letter, a TLS record with
  /// 22 (RFC 8446 §5.1).
  package static func looksLikePlainHTTP(firstByte: UInt8) -> Bool {
    switch firstByte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }
}

extension [UInt8] {
  /// Reserves capacity for `extra` more bytes, growing by doubling as `append` does; `reserveCapacity` alone would
  /// copy at each call.
  fileprivate mutating func reserveExtra(for extra: Int) {
    guard capacity - count < extra else { return }
    reserveCapacity(Swift.max(count + extra, 2 * capacity))
  }
}
