internal import CLinux
internal import Platform

/// Copies the certificate that a gateway created for itself, and the certificate's key. With a new certificate, browsers would
/// ask their users again whether to trust it. The copy replaces an existing certificate of the target, because browsers trust the
/// copied one. The existing files get other names, because the existing key may have no other copy.
extension DataFolderCopy {
  /// Copies the certificate and its key under temporary names, which stay until the copy is finished. Copies nothing if one of
  /// the two files is missing or is not a regular file, for example a symbolic link.
  /// - Throws: `CopyError`; then neither file is copied.
  package func copyCertificate() throws(CopyError) {
    for name in DataFolder.certificateFiles {
      let found = try reading { () throws(StorageError) in
        try source.root.information(of: name, for: .readCertificate)
      }
      guard found?.is_regular == 1 else { return }
    }
    do throws(CopyError) {
      for name in DataFolder.certificateFiles {
        let file = try reading { () throws(StorageError) in
          try source.root.openFile(name, toWrite: false, for: .readCertificate)
        }
        try copy(file, to: name + ".new", in: target.root)
      }
    } catch {
      try writing { () throws(StorageError) in try discardCertificate() }
      throw error
    }
    hasCertificate = true
  }

  /// Removes the copies of the certificate and its key.
  func discardCertificate() throws(StorageError) {
    for name in DataFolder.certificateFiles { try target.root.removeFile(name + ".new", for: .writeCopy) }
    hasCertificate = false
  }

  /// Renames the copies of the certificate and its key to their final names. Existing files with these names get other names.
  func placeCertificate() throws(StorageError) {
    guard hasCertificate else { return }
    if try areThereAlready() { return try discardCertificate() }
    try renameExistingCertificate()
    for name in DataFolder.certificateFiles {
      try target.root.rename(name + ".new", to: name, in: target.root, for: .writeCopy)
    }
    hasCertificate = false
  }

  /// Returns true if the target already has a certificate and a key with the same bytes as the copies.
  private func areThereAlready() throws(StorageError) -> Bool {
    for name in DataFolder.certificateFiles {
      let found = try target.root.information(of: name, for: .writeCopy)
      guard let found, found.is_regular == 1,
        try bytes(of: name) == bytes(of: name + ".new")
      else { return false }
    }
    return true
  }

  private func bytes(of name: String) throws(StorageError) -> [UInt8] {
    let file = try target.root.openFile(name, toWrite: false, for: .writeCopy)
    let length = try StorageError.check(.writeCopy, clinux_file_length(file.rawValue))
    // The first 1 MiB is enough for the comparison: a certificate has a few thousand bytes, and a longer file is not a
    // certificate.
    var bytes = [UInt8](repeating: 0, count: Int(min(length, 1 << 20)))
    let count = try StorageError.check(
      .writeCopy, unsafe clinux_file_read(file.rawValue, &bytes, bytes.count, 0))
    return Array(bytes.prefix(Int(count)))
  }

  /// Renames the certificate files that exist in the target to unused names.
  private func renameExistingCertificate() throws(StorageError) {
    var there: [String] = []
    for name in DataFolder.certificateFiles
    where try target.root.information(of: name, for: .writeCopy) != nil { there.append(name) }
    guard let first = there.first else { return }
    let names = Set(try target.root.names(for: .writeCopy))
    var suffix = ".replaced"
    var number = 1
    while DataFolder.certificateFiles.contains(where: { names.contains($0 + suffix) }) {
      number += 1
      suffix = ".replaced-\(number)"
    }
    for name in there {
      try target.root.rename(name, to: name + suffix, in: target.root, for: .writeCopy)
    }
    replacedCertificate = first + suffix
  }
}
