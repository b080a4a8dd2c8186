internal import Glibc
package import Networking
internal import Platform

/// The TLS contexts of the process' clients, one for each that is trusted; made when first needed, which reads files.
package enum TLSContextCache {
  /// What a context was made from; a file that was written anew is another.
  private struct Origin: Hashable {
    let path: String
    let device: UInt
    let inode: UInt
    let size: Int
    let changedAt: Int
    let changedAtNanoseconds: Int
  }

  private static let contexts = Guarded<[Origin?: TLSClientContext]>([:])

  /// The context for a gateway: the system's authorities are believed, and what is in its file besides. For threads that may
  /// block.
  ///
  /// - Throws: `TLSContextError` when the file cannot be used; the next call reads it again.
  package static func context(for gateway: GatewayAddress) throws(TLSContextError) -> TLSClientContext {
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
      // What the file held before is believed no more.
      if let origin { for older in contexts.keys where older?.path == origin.path { contexts[older] = nil } }
      contexts[origin] = context
    }
    return context
  }

  /// Nil for what cannot be asked, which is left to be read, and to fail.
  private static func origin(of path: String) -> Origin? {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return nil }
    return Origin(
      path: path, device: UInt(found.st_dev), inode: UInt(found.st_ino), size: Int(found.st_size),
      changedAt: Int(found.st_mtim.tv_sec), changedAtNanoseconds: Int(found.st_mtim.tv_nsec))
  }
}
