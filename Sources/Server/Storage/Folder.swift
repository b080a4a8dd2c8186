internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Platform

/// An open folder and operations on single names in it. No call follows a link. This program chooses every name: a fixed word, a
/// session's id, a UUID or a digest.
struct Folder: ~Copyable, Sendable {
  /// The user and group that own a file or folder.
  struct Owner: Equatable, Sendable {
    var user: UInt32
    var group: UInt32
  }

  private let descriptor: OwnedDescriptor
  /// The owner of new files and folders in this folder and in folders opened from it; nil for the user of this process.
  private let newOwner: Owner?

  /// Takes ownership of the descriptor of an open folder.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor.
  ///   - newOwner: the owner of new files and folders in it. Only root can change the owner.
  init(owning descriptor: consuming OwnedDescriptor, givingTo newOwner: Owner? = nil) {
    self.descriptor = descriptor
    self.newOwner = newOwner
  }

  var rawValue: CInt { descriptor.rawValue }

  /// Opens a folder inside this folder.
  func folder(_ name: String, for operation: StorageError.Operation) throws(StorageError) -> Folder {
    let opened = try StorageError.check(operation, unsafe clinux_folder_open_in(rawValue, name))
    return Folder(owning: OwnedDescriptor(owning: opened), givingTo: newOwner)
  }

  /// Creates a folder inside this folder, with access for this user only, unless the folder exists.
  func makeFolder(_ name: String, for operation: StorageError.Operation) throws(StorageError) {
    let status = unsafe clinux_folder_make_in(rawValue, name)
    guard status != -EEXIST else { return }
    try StorageError.check(operation, status)
    guard newOwner != nil else { return }
    let made = try folder(name, for: operation)
    try give(made.rawValue, for: operation)
  }

  /// Creates a file with access for this user only, and opens it for reading and writing. Fails if the file exists already.
  func createFile(
    _ name: String, for operation: StorageError.Operation
  ) throws(StorageError) -> OwnedDescriptor {
    let file = OwnedDescriptor(
      owning: try StorageError.check(operation, unsafe clinux_file_create_in(rawValue, name)))
    try give(file.rawValue, for: operation)
    return file
  }

  /// Opens a file for reading, and for writing if requested.
  func openFile(
    _ name: String, toWrite isWriting: Bool, for operation: StorageError.Operation
  ) throws(StorageError) -> OwnedDescriptor {
    OwnedDescriptor(
      owning: try StorageError.check(
        operation, unsafe clinux_file_open_in(rawValue, name, isWriting ? 1 : 0)))
  }

  /// Renames an entry within this folder, or moves it to another folder of the same file system. If an entry with the new name
  /// exists already, it is replaced.
  func rename(
    _ name: String, to newName: String, in newFolder: borrowing Folder, for operation: StorageError.Operation
  ) throws(StorageError) {
    try StorageError.check(
      operation, unsafe clinux_rename_in(rawValue, name, newFolder.rawValue, newName))
  }

  /// Removes a file. Succeeds if there is no such file.
  func removeFile(_ name: String, for operation: StorageError.Operation) throws(StorageError) {
    try Self.checkRemoval(operation, unsafe clinux_unlink_in(rawValue, name))
  }

  /// Removes a folder with its content, or a file. Succeeds if neither exists.
  func removeTree(_ name: String, for operation: StorageError.Operation) throws(StorageError) {
    try Self.checkRemoval(operation, unsafe clinux_remove_tree_in(rawValue, name))
  }

  /// Returns the names in this folder, in any order.
  func names(for operation: StorageError.Operation) throws(StorageError) -> [String] {
    var bytes: UnsafeMutablePointer<CChar>?
    let length = try StorageError.check(operation, unsafe clinux_folder_names(rawValue, &bytes))
    defer { unsafe free(bytes) }
    let all = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(length))
    return unsafe all.split(separator: 0).map { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the attributes of the entry with a name, without following links; nil if there is no entry.
  func information(
    of name: String, for operation: StorageError.Operation
  ) throws(StorageError) -> clinux_file_information? {
    var found = clinux_file_information()
    let status = unsafe clinux_information_in(rawValue, name, &found)
    guard status != -ENOENT else { return nil }
    try StorageError.check(operation, status)
    return found
  }

  /// Returns the attributes of the folder.
  func information(for operation: StorageError.Operation) throws(StorageError) -> clinux_file_information {
    var found = clinux_file_information()
    try StorageError.check(operation, unsafe clinux_information(rawValue, &found))
    return found
  }

  /// Waits until the names in this folder are on the disk.
  func sync(for operation: StorageError.Operation) throws(StorageError) {
    try StorageError.check(operation, clinux_file_sync(rawValue))
  }

  /// Changes the owner of a new file or folder. Never used for existing files and folder trees.
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
  /// Creates a time from the nanoseconds that the system reports for a file.
  init(nanosecondsSince1970 nanoseconds: Int64) {
    self.init(timeIntervalSince1970: Double(nanoseconds) / 1e9)
  }
}
