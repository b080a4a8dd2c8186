internal import FoundationEssentials
internal import Glibc
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Copies a data folder session by session: for a backup from the one that a gateway uses, or back from a backup.
struct FolderCopying {
  /// What was copied.
  struct Sum: Equatable, Sendable {
    var sessions = 0
    var attachments = 0
    /// Of all files.
    var bytes: UInt64 = 0
    /// What was wrong with sessions, and so is with the copy.
    var faults: [Fault] = []
    /// Why the certificate is left out, or its key.
    var certificateFault: StorageError?
    /// What the certificate that was there before is called now.
    var replacedCertificate: String?
    /// How long it took.
    var seconds = 0.0

    /// Whether everything was as it should be.
    var isFaultless: Bool { faults.isEmpty && certificateFault == nil }
  }

  /// Something that is wrong with a session.
  struct Fault: Equatable, Sendable {
    var session: SessionID
    var words: String
    /// Whether the copy has the session, as it is.
    var isCopied: Bool
  }

  /// From where and to where, and what has to stay free there.
  struct Request: Equatable, Sendable {
    var purpose: DataFolderCopy.Purpose
    var source: String
    var target: String
    var reserve: UInt64
  }

  /// How far the copying gives way to a gateway beside it.
  private static let niceness = 10

  private var sum = Sum()
  private var known: Set<SessionID>
  private var waiting: [SessionID]

  /// Copies a folder on a thread of its own.
  ///
  /// - Throws: `CopyingFailure`; what was made is removed, or says that it is not whole.
  static func run(_ request: Request) throws(CopyingFailure) -> Sum {
    let result: Result<Sum, CopyingFailure>
    do throws(SystemError) {
      result = try SystemThread.aside(name: request.purpose.rawValue, niceness: niceness) {
        do throws(CopyingFailure) {
          return .success(try copy(request))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw .thread(error)
    }
    return try result.get()
  }

  private static func copy(_ request: Request) throws(CopyingFailure) -> Sum {
    let begun = MonotonicTime.now()
    let (source, copy): (DataFolder, DataFolderCopy)
    do throws(DataFolderError) {
      source = try DataFolder(beside: request.source)
    } catch {
      throw .source(request.purpose, error)
    }
    do throws(DataFolderError) {
      copy = try DataFolderCopy(
        of: source, at: request.target, for: request.purpose, reserve: request.reserve)
    } catch {
      throw .target(request.purpose, error)
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
      var failure = CopyingFailure.Interrupted(request: request, error: error, copied: copy.bytes)
      if error.isFull { failure.needed = size(of: source) }
      do throws(StorageError) {
        try copy.abandon()
      } catch {
        failure.leftover = error
      }
      throw .interrupted(failure)
    }
  }

  private init(_ all: [SessionID]) {
    known = Set(all)
    waiting = all
  }

  /// Copies those that were there when it began, and those that they sent people on to meanwhile.
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

  /// Without it a copy is one all the same: the gateway makes another.
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

  /// How much there is to copy, about; nil when that cannot be told.
  private static func size(of data: DataFolder) -> UInt64? {
    do throws(StorageError) {
      let disk = FolderDisk(data)
      var bytes: UInt64 = 0
      for id in try disk.sessions() {
        do throws(StorageError) {
          bytes += UInt64(try disk.openFile(.current, of: id, toWrite: false).information().length)
          bytes += try disk.files(of: id).reduce(0) { $0 + $1.length }
        } catch {
          // One that was removed meanwhile takes nothing.
          guard error.isMissing else { throw error }
        }
      }
      return bytes
    } catch {
      return nil
    }
  }
}
