package import Networking
package import Platform
package import Storage

/// The reason why a gateway cannot start. `description` is the message for the operator.
package enum GatewayError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A directory or a file of the page cannot be opened or read.
  case unreadableFile(path: String, SystemError)
  /// The folder has no `index.html`, so it does not contain a page.
  case noIndex(directory: String)
  /// The files of the page together exceed the maximum size.
  case filesTooLarge(directory: String, limit: Int)
  /// The folder of the page has too many files, or too many nested folders.
  case tooManyFiles(directory: String, limit: Int)
  /// The manifest of the page's release has hashes of inline scripts or style sheets in the wrong form.
  case invalidInlineHashes(path: String)
  /// There is not enough memory to compress a file of the page.
  case outOfMemory(path: String)
  case certificate(CertificateError)
  case dataFolder(DataFolderError)
  case storage(String, StorageError)
  /// This machine does not have the address.
  case address(ListenAddress, AddressError)
  case listen(ListenAddress, String)
  case system(SystemError)

  package var description: String {
    switch self {
    case .unreadableFile(let path, let error): "\(path) cannot be read (\(error))"
    case .noIndex(let directory): "\(directory) has no index.html, so it is not the folder of a page"
    case .filesTooLarge(let directory, let limit):
      "\(directory) has more than \(limit >> 20)M bytes, the maximum in memory"
    case .tooManyFiles(let directory, let limit):
      "\(directory) has more than \(limit) files, or too many nested folders"
    case .invalidInlineHashes(let path):
      "in \(path), \"inline\" must be an object with the arrays \"script\" and \"style\" of hashes such as "
        + "\"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\": build the page again"
    case .outOfMemory(let path): "there is not enough memory to compress \(path)"
    case .certificate(let error): "\(error)"
    case .dataFolder(let error): "\(error)"
    case .storage(let path, let error): "the data folder \(path) cannot be used: \(error)"
    case .address(let address, let error): "\(address) \(error)"
    case .listen(let address, let words): "cannot listen on \(address): \(words)"
    case .system(let error): "\(error)"
    }
  }
}
