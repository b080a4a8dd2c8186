internal import FoundationEssentials
internal import Glibc
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Copies a data folder, one session after the other: a folder in use into a backup, or a backup into a new folder.
struct FolderCopying {
  /// The result of a copy.
  struct Sum: Equatable, Sendable {
    var sessions = 0
    var attachments = 0
    /// The total size of all copied files in bytes.
    var bytes: UInt64 = 0
    /// The faults of sessions. The copy has the same faults.
    var faults: [Fault] = []
    /// The error that prevented the copy of the certificate or its key.
    var certificateFault: StorageError?
    /// The new name of the certificate that the target folder contained before; nil if no certificate was renamed.
    var replacedCertificate: String?
    /// The duration of the copy.
    var seconds = 0.0

    /// True if the copy has no faults.
    var isFaultless: Bool { faults.isEmpty && certificateFault == nil }
  }

  /// A fault of a session.
  struct Fault: Equatable, Sendable {
    var session: SessionID
    var words: String
    /// True if the session was copied together with its fault.
    var isCopied: Bool
  }

  /// The source, the target, and the number of bytes that stay free at the target.
  struct Request: Equatable, Sendable {
    var purpose: DataFolderCopy.Purpose
    var source: String
    var target: String
    var reserve: UInt64
  }

  /// The niceness of the copying thread, so that it yields to a gateway.
  private static let niceness = 10

  private var sum = Sum()
  private var known: Set<SessionID>
  private var waiting: [SessionID]

  /// Copies a folder on a separate thread.
  ///
  /// - Throws: `CommandError`; an incomplete copy is removed, or marked as incomplete.
  static func run(_ request: Request) throws(CommandError) -> Sum {
    let result: Result<Sum, CommandError>
    do throws(SystemError) {
      result = try SystemThread.runOnThread(name: request.purpose.rawValue, niceness: niceness) {
        do throws(CommandError) {
          return .success(try copy(request))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw .system(error)
    }
    return try result.get()
  }

  private static func copy(_ request: Request) throws(CommandError) -> Sum {
    let begun = MonotonicTime.now()
    let (source, copy): (DataFolder, DataFolderCopy)
    do throws(DataFolderError) {
      source = try DataFolder(beside: request.source)
    } catch {
      throw .copySource(request.purpose, error)
    }
    do throws(DataFolderError) {
      copy = try DataFolderCopy(
        of: source, at: request.target, for: request.purpose, reserve: request.reserve)
    } catch {
      throw .copyTarget(request.purpose, error)
    }
    do throws(CopyError) {
      var copying = FolderCopying(try sessions(of: source))
      try copying.copySessions(in: copy, for: request.purpose)
      try copying.copyCertificate(in: copy)
      try copy.finish()
      copying.sum.replacedCertificate = copy.replacedCertificate
      copying.sum.seconds = (MonotonicTime.now() - begun) / .seconds(1)
      return copying.sum
    } catch {
      var interruption = CopyInterruption(request: request, error: error, copied: copy.bytes)
      if error.isFull { interruption.needed = size(of: source) }
      do throws(StorageError) {
        try copy.abandon()
      } catch {
        interruption.leftover = error
      }
      throw .copyInterrupted(interruption)
    }
  }

  private init(_ all: [SessionID]) {
    known = Set(all)
    waiting = all
  }

  /// Copies the sessions that existed at the start, and the successors that these sessions announced during the copy.
  private mutating func copySessions(
    in copy: DataFolderCopy, for purpose: DataFolderCopy.Purpose
  ) throws(CopyError) {
    while let id = waiting.popLast() {
      guard let outcome = try SessionCopying.copy(SessionCopy(of: id, in: copy), for: purpose) else {
        continue
      }
      sum.faults += outcome.faults.map { Fault(session: id, words: "\($0)", isCopied: outcome.isCopied) }
      guard outcome.isCopied else { continue }
      sum.sessions += 1
      sum.attachments += outcome.attachments
      sum.bytes += outcome.bytes
      for successor in outcome.successors where known.insert(successor).inserted { waiting.append(successor) }
    }
  }

  /// Copies the certificate. If its copy fails, a gateway creates a new certificate.
  private mutating func copyCertificate(in copy: DataFolderCopy) throws(CopyError) {
    do throws(CopyError) {
      try copy.copyCertificate()
    } catch {
      guard case .source(let reason) = error, error.isOfSource else { throw error }
      sum.certificateFault = reason
    }
  }

  private static func sessions(of data: DataFolder) throws(CopyError) -> [SessionID] {
    do throws(StorageError) {
      return try FolderDisk(data).sessions().sorted { ($0.high, $0.low) > ($1.high, $1.low) }
    } catch {
      throw .source(error)
    }
  }

  /// Returns the approximate number of bytes to copy; nil if unknown.
  private static func size(of data: DataFolder) -> UInt64? {
    do throws(StorageError) {
      let disk = FolderDisk(data)
      var bytes: UInt64 = 0
      for id in try disk.sessions() {
        do throws(StorageError) {
          bytes += UInt64(try disk.openFile(.current, of: id, toWrite: false).information().length)
          bytes += try disk.files(of: id).reduce(0) { $0 + $1.length }
        } catch {
          // A session that was removed during the copy needs no space.
          guard error.isMissing else { throw error }
        }
      }
      return bytes
    } catch {
      return nil
    }
  }
}
