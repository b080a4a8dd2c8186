internal import FoundationEssentials
internal import FuzzTargets
internal import Glibc

/// Runs each input of a corpus once, to measure coverage: `replay TARGET FOLDER`.
@main
enum Replay {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let target = FuzzTarget.all.first(where: { $0.name == arguments[1] }) else {
      for target in FuzzTarget.all { print(target.name) }
      return
    }
    do {
      for file in try FileManager.default.contentsOfDirectory(atPath: arguments[2]).sorted() {
        guard let input = FileManager.default.contents(atPath: "\(arguments[2])/\(file)") else { continue }
        do {
          try target.run(Array(input))
        } catch {
          print("\(arguments[2])/\(file): \(error)")
          exit(1)
        }
      }
    } catch {
      print("\(arguments[2]): \(error)")
      exit(1)
    }
  }
}
