import FoundationEssentials
import FuzzTargets
import Testing

/// Runs every stored input once, as a regression test.
@Suite("The stored fuzzing inputs are run once as regression tests")
struct ReplayTests {
  private static let corpora =
    String(#filePath).split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Corpus"

  @Test(
    "every stored fuzzing input passes the checks of its fuzz target", arguments: FuzzTarget.all.map(\.name))
  func replays(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let folder = "\(Self.corpora)/\(name)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(!files.isEmpty)
    for file in files {
      let input = try #require(FileManager.default.contents(atPath: "\(folder)/\(file)"))
      do {
        try target.run(Array(input))
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
  }

  @Test("every fuzzing corpus has a fuzz target, and every fuzz target has a corpus")
  func targets() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora)
    #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
  }
}
