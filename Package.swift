// swift-tools-version: 6.2
import PackageDescription

/// The rules every Swift target is compiled under: Swift 6, strict memory safety, warnings are errors.
var settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// `Tests/Fuzz/run` sets it: `libfuzzer` has every Swift target compiled for it, `replay` adds a program that measures
/// what the corpora reach.
let fuzzing = Context.environment["DRAWTOGETHER_FUZZ"]
if fuzzing == "libfuzzer" { settings.append(.unsafeFlags(["-sanitize=fuzzer,address"])) }

let package = Package(
  name: "DrawTogether",
  products: [
    .library(
      name: "GroupActivities",
      targets: [
        "GroupActivities", "Combine", "CoreTransferable", "UniformTypeIdentifiers", "CoreGraphics",
        "_Testing_CoreGraphics",
      ]),
    .executable(name: "drawtogether", targets: ["drawtogether"]),
    .executable(name: "drawtogether-bench", targets: ["drawtogether-bench"]),
  ],
  targets: [
    // Shims for what Swift's importer cannot see.
    .target(name: "CLinux"),
    .target(
      name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),

    // Bytes in, events out: no socket, no file, no clock, no thread.
    .target(name: "Wire", swiftSettings: settings),
    .target(name: "HTTP", dependencies: ["CZlib", "COpenSSL"], swiftSettings: settings),
    .target(name: "WebSocket", dependencies: ["CZlib", "COpenSSL"], swiftSettings: settings),
    .target(name: "SessionCore", dependencies: ["Wire"], swiftSettings: settings),

    // Where the bytes come from and go to.
    .target(name: "Transport", dependencies: ["COpenSSL", "CLinux"], swiftSettings: settings),
    .target(
      name: "Storage", dependencies: ["SessionCore", "Transport", "CLinux", "CZlib", "Wire"],
      swiftSettings: settings),
    .target(
      name: "Gateway",
      dependencies: [
        "Wire", "HTTP", "WebSocket", "SessionCore", "Transport", "Storage", "CLinux", "COpenSSL", "CZlib",
      ],
      swiftSettings: settings),
    // The other end of the wire, and Apple's API over it.
    .target(
      name: "Client",
      dependencies: ["Wire", "HTTP", "WebSocket", "SessionCore", "Transport", "CLinux"],
      swiftSettings: settings),
    .target(name: "Combine", swiftSettings: settings),
    .target(name: "UniformTypeIdentifiers", swiftSettings: settings),
    .target(
      name: "CoreTransferable", dependencies: ["UniformTypeIdentifiers", "Combine"], swiftSettings: settings),
    .target(name: "CoreGraphics", swiftSettings: settings),
    .target(name: "_Testing_CoreGraphics", swiftSettings: settings),
    .target(
      name: "GroupActivities", dependencies: ["Client", "Combine", "CoreTransferable", "Wire", "Transport"],
      swiftSettings: settings),

    .executableTarget(
      name: "drawtogether",
      dependencies: [
        "Gateway", "Storage", "SessionCore", "Transport", "Wire", "HTTP", "CLinux", "GroupActivities",
        "Combine",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "drawtogether-bench",
      dependencies: ["Transport", "Wire", "HTTP", "WebSocket", "CLinux"], swiftSettings: settings),

    // What fuzzing feeds the decoders with; its corpora are replayed by every run of the tests.
    .target(
      name: "FuzzTargets",
      dependencies: ["Wire", "HTTP", "WebSocket", "SessionCore", "Storage", "Transport"],
      path: "Tests/Fuzz/Targets", swiftSettings: settings),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Replay", swiftSettings: settings),
    .testTarget(name: "WireTests", dependencies: ["Wire"], swiftSettings: settings),
    .testTarget(name: "HTTPTests", dependencies: ["HTTP"], swiftSettings: settings),
    .testTarget(name: "WebSocketTests", dependencies: ["WebSocket"], swiftSettings: settings),
    .testTarget(
      name: "SessionCoreTests", dependencies: ["SessionCore", "Wire"], swiftSettings: settings),
    .testTarget(
      name: "TransportTests", dependencies: ["Transport", "CLinux", "COpenSSL"], swiftSettings: settings),
    .testTarget(
      name: "StorageTests",
      dependencies: ["Storage", "SessionCore", "Transport", "CLinux", "CZlib", "Wire"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "GatewayTests",
      dependencies: ["Gateway", "Wire", "HTTP", "WebSocket", "SessionCore", "Storage", "Transport"],
      swiftSettings: settings),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "Client", "Wire", "HTTP", "WebSocket", "SessionCore", "Storage", "Transport", "Gateway",
      ],
      swiftSettings: settings),
    .testTarget(name: "CombineTests", dependencies: ["Combine"], swiftSettings: settings),
    .testTarget(
      name: "CoreTransferableTests",
      dependencies: [
        "CoreTransferable", "UniformTypeIdentifiers", "CoreGraphics", "_Testing_CoreGraphics",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GroupActivitiesTests",
      dependencies: [
        "GroupActivities", "Combine", "CoreTransferable", "Client", "Wire", "Gateway", "Transport",
        "DrawTogetherModel",
      ],
      swiftSettings: settings),
    // A model as it is written for Apple's systems, in the language mode of their samples and in today's.
    .target(
      name: "DrawTogetherModel", dependencies: ["GroupActivities", "Combine"],
      path: "Tests/Model/DrawTogetherModel",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .target(
      name: "DrawTogetherModel6", dependencies: ["GroupActivities", "Combine"],
      path: "Tests/Model/DrawTogetherModel6",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "drawtogether-model", dependencies: ["DrawTogetherModel", "GroupActivities", "Combine"],
      path: "Tests/Model/Program",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "BenchTests", dependencies: ["drawtogether-bench", "Transport", "WebSocket"],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: ["drawtogether", "Gateway", "Storage", "SessionCore", "Wire", "Transport"],
      swiftSettings: settings),
  ],
  cLanguageStandard: .c17
)

if fuzzing == "libfuzzer" {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Driver", swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
} else if fuzzing == "replay" {
  package.targets.append(
    .executableTarget(
      name: "replay", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Coverage", swiftSettings: settings))
}
