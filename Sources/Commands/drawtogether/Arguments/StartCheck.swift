internal import Gateway
internal import Glibc
internal import Networking
internal import Storage
internal import Wire

/// Checks the files, folders and addresses of a configuration on this machine. It does not create or change files, and does not
/// bind addresses.
struct StartCheck {
  private let configuration: GatewayConfiguration

  /// Creates a check of a configuration.
  init(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
  }

  /// Checks for errors that no system call would report. Takes microseconds.
  ///
  /// - Throws: the first error.
  func beforeStart() throws(CommandError) {
    for error in silentErrors { throw error }
  }

  /// Returns all errors that would prevent a start, with the texts that a start would print. Looks up host names, which may take
  /// seconds.
  func errors() -> [CommandError] {
    var errors = silentErrors
    for address in [configuration.http, configuration.https] {
      guard let address else { continue }
      do {
        _ = try SocketAddress.resolve("\(address)")
      } catch {
        errors.append(CommandError(.address(address, error), of: configuration))
      }
    }
    do {
      try StaticFiles.check(directory: configuration.publicDirectory)
    } catch {
      errors.append(CommandError(error, of: configuration))
    }
    do {
      try DataFolder.check(configuration.dataDirectory)
    } catch {
      errors.append(CommandError(.dataFolder(error), of: configuration))
    }
    if configuration.https != nil, let certificate = configuration.certificateFile,
      let key = configuration.keyFile
    {
      do {
        _ = try TLSServerContext(certificatePath: certificate, keyPath: key)
      } catch {
        errors.append(CommandError(.certificate(error), of: configuration))
      }
    }
    return errors
  }

  private var silentErrors: [CommandError] {
    published + [reserveBeyondDisk].compactMap(\.self)
  }

  /// The errors for secrets in the folder of the page, whose files are public.
  private var published: [CommandError] {
    [
      ("--data", configuration.dataDirectory), ("--tls-key", configuration.keyFile),
      ("--metrics-token-file", configuration.metricsTokenFile),
    ].compactMap { setting, path in
      guard let path, let real = Self.realPath(path), let page = Self.realPath(configuration.publicDirectory),
        real == page || real.hasPrefix(page == "/" ? page : page + "/")
      else { return nil }
      // Files whose names begin with a dot are not served.
      guard !real.dropFirst(page.count).split(separator: "/").contains(where: { $0.hasPrefix(".") }) else {
        return nil
      }
      return .published(setting: setting, path: path, page: configuration.publicDirectory)
    }
  }

  private var reserveBeyondDisk: CommandError? {
    let reserve = UInt64(clamping: configuration.limits.diskReserveBytes)
    guard let room = DataFolder.room(for: configuration.dataDirectory), reserve >= room.total else {
      return nil
    }
    return .reserveBeyondDisk(reserve: reserve, disk: room.total, data: configuration.dataDirectory)
  }

  /// Returns the path without symbolic links, even for a file that does not exist yet; nil if a parent folder is missing.
  private static func realPath(_ path: String) -> String? {
    if let real = unsafe realpath(path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    guard errno == ENOENT, let name = path.split(separator: "/").last, path != name else {
      return path.contains("/") ? nil : realPath(".").map { "\($0)/\(path)" }
    }
    let above = path.dropLast(path.hasSuffix("/") ? 1 : 0).dropLast(name.count)
    return realPath(above.isEmpty ? "." : String(above)).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" }
  }
}
