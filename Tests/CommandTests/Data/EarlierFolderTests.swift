import FoundationEssentials
import Testing

/// This version reads the data folders of earlier versions. The contract tests check the same folders
/// with a running gateway.
@Suite("Data folders of earlier versions can still be read and used")
struct EarlierFolderTests {
  private static let fixtures =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/StorageTests/Fixtures"

  private static var versions: [String] {
    // If the folder with the fixtures cannot be read, this list is empty, and the test that expects version 1 in it fails.
    (try? FileManager.default.contentsOfDirectory(atPath: fixtures).sorted()) ?? []
  }

  /// The expected content of a session.
  private struct Kept: Decodable {
    let id: String
    /// The entries of each key, as arrays that begin with the sequence.
    let held: [String: [[Value]]]

    enum Value: Decodable, Equatable {
      case number(UInt64)
      case text(String)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(UInt64.self) {  // Any value that is not a whole number is text.
          self = .number(number)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }
  }

  /// A line of an export.
  private struct Line: Decodable {
    let sequence: UInt64
    let key: String?
    let system: Bool?
  }

  @Test("The test data contain a data folder of version 1")
  func first() {
    #expect(Self.versions.contains("version-1"))
  }

  @Test(
    "The data folder of an earlier version has no faults, and its sessions retain the entries that participants saw",
    arguments: versions)
  func read(_ version: String) throws {
    let folder = "\(Self.fixtures)/\(version)"
    let verified = CommandRun(["verify", "--data", folder + "/data"])
    #expect(verified.code == 0)
    #expect(verified.errors + (verified.code == 0 ? "" : verified.output) == "")
    let file = try Data(contentsOf: URL(filePath: folder + "/kept.json"))
    let kept = try JSONDecoder().decode([String: Kept].self, from: file)
    #expect(CommandRun(["sessions", "--json", "--data", folder + "/data"]).lines.count == kept.count)
    for (name, session) in kept {
      let run = CommandRun(["export", session.id, "--state", "--data", folder + "/data"])
      #expect(run.code == 0)
      var found: [String: [UInt64]] = [:]
      for line in run.lines.dropFirst() {
        let entry = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        guard let key = entry.key, entry.system != true else { continue }
        found[key.split(separator: "-").joined().lowercased(), default: []].append(entry.sequence)
      }
      let expected = session.held.mapValues { entries in
        entries.compactMap { if case .number(let sequence) = $0.first { sequence } else { nil } }
      }
      #expect(found == expected, "\(name)")
    }
  }
}
