import FoundationEssentials
import Testing

@testable import drawtogether

/// Paths are read as SVG 2, section 9.3, has them.
@Suite("SVG paths")
struct SVGPathDataTests {
  private func points(_ text: String) throws -> [[PlanePoint]] {
    let path = try SVGPathData.read(text)
    return try #require(path.flattened(by: .identity, limit: 100_000))
  }

  private func point(_ x: Double, _ y: Double) -> PlanePoint { PlanePoint(x: x, y: y) }

  @Test(
    "Straight lines, absolute and relative, with as few separators as are needed",
    arguments: [
      ("M1 2L3 4", [[1.0, 2, 3, 4]]), ("m1,2 2,2", [[1, 2, 3, 4]]), ("M1 2 3 4 5 6", [[1, 2, 3, 4, 5, 6]]),
      ("M0 0H5V6h-2v-1", [[0, 0, 5, 0, 5, 6, 3, 6, 3, 5]]), ("M0 0L1.5.5-2-3", [[0, 0, 1.5, 0.5, -2, -3]]),
      ("M1 1h2v2zl5 5", [[1, 1, 3, 1, 3, 3, 1, 1], [1, 1, 6, 6]]), ("M1 1z", [[1, 1, 1, 1]]),
      ("M0 0L1e1 1E-1", [[0, 0, 10, 0.1]]), ("M0 0M5 5L6 6M9 9", [[5, 5, 6, 6]]), ("", []),
      ("m1 1z m2 2l1 0", [[1, 1, 1, 1], [3, 3, 4, 3]]), ("M0 0L0 0", [[0, 0, 0, 0]]),
    ] as [(String, [[Double]])])
  func straight(_ text: String, _ expected: [[Double]]) throws {
    #expect(try points(text).map { $0.flatMap { [$0.x, $0.y] } } == expected)
  }

  @Test(
    "Curves of two kinds go on smoothly from one another, and from nothing else",
    arguments: [
      ("M0 0C0 5 5 5 5 0S10 -5 10 0", "M0 0C0 5 5 5 5 0C5 -5 10 -5 10 0"),
      ("M0 0c0 5 5 5 5 0s5-5 5 0", "M0 0C0 5 5 5 5 0C5 -5 10 -5 10 0"),
      ("M0 0Q5 5 10 0T20 0", "M0 0Q5 5 10 0Q15 -5 20 0"), ("M0 0q5 5 10 0t10 0", "M0 0Q5 5 10 0Q15 -5 20 0"),
      ("M0 0L1 1S3 3 5 1", "M0 0L1 1C1 1 3 3 5 1"), ("M0 0L1 1T5 5", "M0 0L1 1Q1 1 5 5"),
      ("M0 0C1 1 2 2 3 0T5 5", "M0 0C1 1 2 2 3 0Q3 0 5 5"), ("M2 2a0 3 0 0 1 4 4", "M2 2L6 6"),
    ])
  func smooth(_ text: String, _ same: String) throws {
    #expect(try points(text) == points(same))
  }

  @Test(
    "An arc lies on its circle, to the side and around as its flags say; flags may stand without separators")
  func arcs() throws {
    for (flags, middle, length) in [
      ("0 01", point(0, 10), Double.pi / 2), ("0 0 0", point(10, 0), .pi / 2),
      ("0,11", point(10, 0), 1.5 * .pi),
      ("0 10", point(0, 10), 1.5 * .pi),
    ] {
      let line = try #require(try points("M0 0A10 10 \(flags)10 10").first)
      #expect(line.allSatisfy { abs(($0 - middle).length - 10) < PlanePath.flatness }, "\(flags)")
      let way = zip(line, line.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).length }
      #expect(abs(way - 10 * length) < 0.5, "\(flags)")
      #expect(line.last == point(10, 10))
    }
    // Radii too small are as large as they need to be.
    let half = try #require(try points("M0 0a1 1 0 0 1 20 0").first)
    #expect(half.allSatisfy { abs(($0 - point(10, 0)).length - 10) < PlanePath.flatness })
    #expect(half.contains { $0.y < -9.8 })
  }

  @Test("Flattened curves are no further from the curve than promised, with few points")
  func flatness() throws {
    let line = try #require(
      PlanePath.ellipse(point(0, 0), 100, 100).flattened(by: .identity, limit: 1000)?.first)
    for (one, next) in zip(line, line.dropFirst()) {
      #expect(abs((0.5 * (one + next)).length - 100) < 2 * PlanePath.flatness)
    }
    #expect((50..<150).contains(line.count))
    let large = PlanePath.ellipse(point(0, 0), 1, 1).flattened(by: .scale(100, 100), limit: 1000)
    #expect(large?.first?.count == line.count, "it is flattened where it is drawn")
    #expect(PlanePath.ellipse(point(0, 0), 100, 100).flattened(by: .identity, limit: 10) == nil)
  }

  @Test(
    "Arcs of numbers too large or too small for their ellipse are lines",
    arguments: [
      "M0 0A1e-200 1e-200 0 0 1 1 0", "M0 0A1e-320 1e308 0 0 1 1 0", "M1e308 0A1 1 0 0 1 -1e308 0",
      "M-1e308 -1e308A1e308 1e308 30 1 0 1e308 1e308", "M0 0A1e308 1e308 1e308 1 1 1e-300 1e-300",
    ])
  func extremes(_ text: String) throws {
    let path = try SVGPathData.read(text)
    let ends = path.elements.allSatisfy { if case .curve = $0 { false } else { true } }
    #expect(ends, "\(path.elements)")
    #expect(try points(text).first?.count == 2)
  }

  @Test(
    "What is no path is refused with the place",
    arguments: [
      ("L1 2", "the path has \"L1 2\" at character 1, where it needs M, to begin with"),
      ("M1", "the path has the end at character 3, where it needs a number"),
      ("M1 2 x", "the path has \"x\" at character 6, where it needs a command"),
      ("M0 0A1 1 0 2 0 3 3", "the path has \"2 0 3 3\" at character 12, where it needs 0 or 1"),
      ("M0 0L1 1e999", "the path has \"1e999\" at character 8, where it needs a number"),
    ])
  func refuses(_ text: String, _ words: String) {
    let fault = #expect(throws: SVGPathData.Fault.self) { try SVGPathData.read(text) }
    #expect(fault?.description == words)
  }

  @Test("Transforms are done from the right to the left")
  func transforms() throws {
    let map = try #require(PlaneTransform.read("translate(10) rotate(90, 1 1),scale(2 3)"))
    let there = map(point(1, 1))
    #expect((there - point(10 - 1, 2)).length < 1e-9, "\(there)")
    #expect(PlaneTransform.read("matrix(1 2 3 4 5 6)")?(point(1, 1)) == point(9, 12))
    #expect(PlaneTransform.read("") == .identity)
    for text in ["rotate(1 2)", "translate", "scale(1", "spin(3)", "scale(1) 2"] {
      #expect(PlaneTransform.read(text) == nil, "\(text)")
    }
    #expect(abs((PlaneTransform.read("skewX(45)")?(point(0, 1)).x ?? 0) - 1) < 1e-9)
  }
}
