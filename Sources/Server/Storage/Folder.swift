internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Platform

/// An open folder, and what is done with single names in it. No call follows a link, and a name is one of ours: a word,
/// a session's id, a UUID or a digest.
struct Folder: ~Copyable, Sendable {
  /// Whose something is.
  struct Owner: Equatable, Sendable {
    var user: UInt32
    var group: UInt32
  }

  private let descriptor: OwnedDescriptor
  /// Who gets what is made here, and in the folders that are opened from here; `nil` for who makes it.
  private let newOwner: Owner?

  /// Takes over the descriptor of an open folder.
  ///
  /// - Parameters:
  ///   - descriptor: the folder's.
  ///   - newOwner: who gets what is made in it; only root can give it away.
  init(owning descriptor: consuming OwnedDescriptor, givingTo newOwner: Owner? = nil) {
    self.descriptor = descriptor
    self.newOwner = newOwner
  }

  var rawValue: CInt { descriptor.rawValue }

  /// Opens a folder in this one.
  func folder(_ name: String, for operation: StorageError.Operation) throws(StorageError) -> Folder {
    let opened = try StorageError.check(operation, unsafe clinux_folder_open_in(rawValue, name))
    return Folder(owning: OwnedDescriptor(owning: opened), givingTo: newOwner)
  }

  /// Makes a folder in this one, for this user alone, unless it is there already.
  func makeFolder(_ name: String, for operation: StorageError.Operation) throws(StorageError) {
    let status = unsafe clinux_folder_make_in(rawValue, name)
    guard status != -EEXIST else { return }
    try StorageError.check(operation, status)
    guard newOwner != nil else { return }
    let made = try folder(name, for: operation)
    try give(made.rawValue, for: operation)
  }

  /// Makes a file that was not there, for this user alone, to be written and read.
  func createFile(
    _ name: String, for operation: StorageError.Operation
  ) throws(StorageError) -> OwnedDescriptor {
    let file = OwnedDescriptor(
      owning: try StorageError.check(operation, unsafe clinux_file_create_in(rawValue, name)))
    try give(file.rawValue, for: operation)
    return file
  }

  /// Opens a file to be read, and written if that is asked for.
  func openFile(
    _ name: String, toWrite isWriting: Bool, for operation: StorageError.Operation
  ) throws(StorageError) -> OwnedDescriptor {
    OwnedDescriptor(
      owning: try StorageError.check(
        operation, unsafe clinux_file_open_in(rawValue, name, isWriting ? 1 : 0)))
  }

  /// Gives what has that name another, here or in another folder of the file system, in the place of what had that.
  func rename(
    _ name: String, to newName: String, in newFolder: borrowing Folder, for operation: StorageError.Operation
  ) throws(StorageError) {
    try StorageError.check(
      operation, unsafe clinux_rename_in(rawValue, name, newFolder.rawValue, newName))
  }

  /// Removes a file, if there is one.
  func removeFile(_ name: String, for operation: StorageError.Operation) throws(StorageError) {
    try Self.checkRemoval(operation, unsafe clinux_unlink_in(rawValue, name))
  }

  /// Removes a folder and all that is in it, or a file, if there is one.
  func removeTree(_ name: String, for operation: StorageError.Operation) throws(StorageError) {
    try Self.checkRemoval(operation, unsafe clinux_remove_tree_in(rawValue, name))
  }

  /// The names in it, in no order.
  func names(for operation: StorageError.Operation) throws(StorageError) -> [String] {
    var bytes: UnsafeMutablePointer<CChar>?
    let length = try StorageError.check(operation, unsafe clinux_folder_names(rawValue, &bytes))
    defer { unsafe free(bytes) }
    let all = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(length))
    return unsafe all.split(separator: 0).map { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// What is known of what has that name, be it a link; `nil` when nothing has.
  func information(
    of name: String, for operation: StorageError.Operation
  ) throws(StorageError) -> clinux_file_information? {
    var found = clinux_file_information()
    let status = unsafe clinux_information_in(rawValue, name, &found)
    guard status != -ENOENT else { return nil }
    try StorageError.check(operation, status)
    return found
  }

  /// What is known of the folder itself.
  func information(for operation: StorageError.Operation) throws(StorageError) -> clinux_file_information {
    var found = clinux_file_information()
    try StorageError.check(operation, unsafe clinux_information(rawValue, &found))
    return found
  }

  /// Waits until the names in it are on the disk.
  func sync(for operation: StorageError.Operation) throws(StorageError) {
    try StorageError.check(operation, clinux_file_sync(rawValue))
  }

  /// Gives what was just made to whom it is for: never a tree, and nothing that was there.
  private func give(_ made: CInt, for operation: StorageError.Operation) throws(StorageError) {
    guard let newOwner else { return }
    try StorageError.check(operation, clinux_give(made, newOwner.user, newOwner.group))
  }

  private static func checkRemoval(
    _ operation: StorageError.Operation, _ status: CInt
  ) throws(StorageError) {
    if status != -ENOENT { try StorageError.check(operation, status) }
  }
}

extension Date {
  /// A file's time, as the system tells it.
  init(nanosecondsSince1970 nanoseconds: Int64) {
    self.init(timeIntervalSince1970: Double(nanoseconds) / 1e9)
  }
}
