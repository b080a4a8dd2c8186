internal import Glibc
package import Networking
internal import Platform

/// The TLS contexts of the process's clients, one for each set of trusted certificates. A context is created when it is first
/// needed. The creation reads files.
package enum TLSContextCache {
  /// The file from which a context was created. A file that was changed counts as a different file.
  private struct Origin: Hashable {
    let path: String
    let device: UInt
    let inode: UInt
    let size: Int
    let changedAt: Int
    let changedAtNanoseconds: Int
  }

  private static let contexts = Guarded<[Origin?: TLSClientContext]>([:])

  /// Returns the context for a gateway. The context trusts the system's authorities and the certificates in the gateway's file.
  /// The call may block.
  ///
  /// - Throws: `CertificateError` when the file cannot be used. The next call reads the file again.
  package static func context(for gateway: GatewayAddress) throws(CertificateError) -> TLSClientContext {
    let origin = gateway.certificates.flatMap(origin(of:))
    if gateway.certificates == nil || origin != nil,
      let context = contexts.withLock({ $0[origin] })
    {
      return context
    }
    let context = try TLSClientContext(
      trust: gateway.certificates.map { .systemAnd(path: $0) } ?? .system)
    guard gateway.certificates == nil || origin != nil else { return context }
    contexts.withLock { contexts in
      // If the file was changed, the contexts with its former certificates are removed.
      if let origin { for older in contexts.keys where older?.path == origin.path { contexts[older] = nil } }
      contexts[origin] = context
    }
    return context
  }

  /// Returns the origin of a file; nil if `stat` fails. In that case, the creation of the context reports the cause.
  private static func origin(of path: String) -> Origin? {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return nil }
    return Origin(
      path: path, device: UInt(found.st_dev), inode: UInt(found.st_ino), size: Int(found.st_size),
      changedAt: Int(found.st_mtim.tv_sec), changedAtNanoseconds: Int(found.st_mtim.tv_nsec))
  }
}
