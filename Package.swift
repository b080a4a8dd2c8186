// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of every Swift target: Swift 6, strict memory safety, warnings are errors.
var settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The kind of fuzzing build, set by `Tests/Fuzz/run`: `libfuzzer` compiles every Swift target for libFuzzer, `replay` adds a
/// program that measures the coverage of the corpora.
let fuzzing = Context.environment["DRAWTOGETHER_FUZZ"]
if fuzzing == "libfuzzer" { settings.append(.unsafeFlags(["-sanitize=fuzzer,address"])) }

/// True for builds without tests: no target under `Tests` is declared.
let productOnly = Context.environment["DRAWTOGETHER_PRODUCT_ONLY"] == "1"

/// Returns a target in the folder of its layer.
@MainActor func target(_ layer: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: settings)
}

/// Returns the target of a program.
@MainActor func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Sources/Commands/\(name)", swiftSettings: settings)
}

/// Returns the test target of a target.
@MainActor func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  // The optimizer would take three times as long for the tests as for what they test.
  let plain = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
  return .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + [plain])
}

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
    // A target uses only targets above it in this list.

    // The system layer: shims for C declarations that Swift cannot import; values without I/O (`Primitives`); threads and digests
    // (`Platform`); sockets and TLS (`Networking`).
    .target(name: "CLinux", path: "Sources/Platform/CLinux"),
    .target(
      name: "COpenSSL", path: "Sources/Platform/COpenSSL",
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CZlib", path: "Sources/Platform/CZlib", linkerSettings: [.linkedLibrary("z")]),
    target("Platform", "Primitives"),
    target("Platform", "Platform", ["Primitives", "COpenSSL", "CLinux"]),
    target("Platform", "Networking", ["Primitives", "Platform", "COpenSSL", "CLinux"]),

    // The codecs: they convert bytes to values and values to bytes, without a socket, a file, a clock or a thread.
    target("Codecs", "Wire", ["Primitives"]),
    target("Codecs", "HTTP", ["Primitives", "CZlib", "COpenSSL"]),
    target("Codecs", "WebSocket", ["CZlib", "COpenSSL"]),

    // The gateway: the rules of a session, the data folder, and the server.
    target("Server", "SessionCore", ["Primitives", "Wire", "WebSocket"]),
    target(
      "Server", "Storage",
      ["SessionCore", "Primitives", "Platform", "Networking", "CLinux", "CZlib", "Wire", "WebSocket"]),
    target(
      "Server", "Gateway",
      [
        "Wire", "HTTP", "WebSocket", "SessionCore", "Primitives", "Platform", "Networking", "Storage",
        "CLinux",
        "COpenSSL", "CZlib",
      ]),

    // Replacements for Apple's modules: the parts that the model classes of SharePlay apps import.
    target("Compatibility", "Combine"),
    target("Compatibility", "UniformTypeIdentifiers"),
    target("Compatibility", "CoreTransferable", ["UniformTypeIdentifiers", "Combine"]),
    target("Compatibility", "CoreGraphics"),
    target("Compatibility", "_Testing_CoreGraphics"),

    // The client: the library for its side of the protocol, and Apple's API on top of this library.
    target(
      "Client", "SessionClient",
      ["Wire", "HTTP", "WebSocket", "Primitives", "Platform", "Networking", "CLinux"]),
    target(
      "Client", "GroupActivities",
      ["SessionClient", "Combine", "CoreTransferable", "Wire", "Primitives", "Platform", "Networking"]),

    // Shared by the programs.
    target("Commands", "CommandSupport", ["HTTP", "Primitives", "Platform", "Networking"]),
    program(
      "drawtogether",
      [
        "CommandSupport", "Gateway", "Storage", "SessionCore", "Primitives", "Platform", "Networking", "Wire",
        "HTTP", "CLinux", "GroupActivities", "Combine",
      ]),
    program(
      "drawtogether-bench",
      ["CommandSupport", "Primitives", "Platform", "Networking", "Wire", "HTTP", "WebSocket", "CLinux"]),
  ],
  cLanguageStandard: .c17
)

if !productOnly {
  package.targets += [
    // Shared by several test targets.
    .target(
      name: "TestSupport", dependencies: ["Primitives", "Platform", "Networking", "Storage", "Wire"],
      path: "Tests/Support/Swift",
      swiftSettings: settings),
    tests("PrimitivesTests", ["Primitives"]),
    tests(
      "PlatformTests", ["Primitives", "Platform", "CLinux", "COpenSSL", "TestSupport"]),
    tests(
      "NetworkingTests",
      ["Primitives", "Platform", "Networking", "CLinux", "COpenSSL", "TestSupport"]),
    tests("WireTests", ["Wire", "TestSupport"]),
    tests("HTTPTests", ["HTTP", "TestSupport"]),
    tests("WebSocketTests", ["WebSocket", "TestSupport"]),
    tests("SessionCoreTests", ["SessionCore", "Primitives", "Wire", "WebSocket"]),
    tests(
      "StorageTests",
      [
        "Storage", "SessionCore", "Primitives", "Platform", "Networking", "CLinux", "CZlib", "Wire",
        "TestSupport",
      ],
      exclude: ["Fixtures"]),
    tests(
      "GatewayTests",
      [
        "Gateway", "Wire", "HTTP", "WebSocket", "SessionCore", "Storage", "Primitives", "Platform",
        "Networking", "TestSupport",
      ]),
    tests(
      "SessionClientTests",
      [
        "SessionClient", "Wire", "HTTP", "WebSocket", "SessionCore", "Storage", "Primitives", "Platform",
        "Networking", "Gateway", "TestSupport",
      ]),
    tests("CombineTests", ["Combine"]),
    tests(
      "CoreTransferableTests",
      ["CoreTransferable", "UniformTypeIdentifiers", "CoreGraphics", "_Testing_CoreGraphics"]),
    tests(
      "GroupActivitiesTests",
      [
        "GroupActivities", "Combine", "CoreTransferable", "SessionClient", "Wire", "Gateway", "Primitives",
        "Platform", "Networking", "DrawTogetherModel",
      ]),
    tests(
      "BenchTests", ["drawtogether-bench", "Primitives", "Platform", "Networking", "WebSocket"]),
    tests(
      "CommandTests",
      [
        "drawtogether", "CommandSupport", "Gateway", "Storage", "SessionCore", "Wire", "Primitives",
        "Platform",
        "Networking", "TestSupport",
      ]),

    // The fuzz targets. Every test run replays their corpora.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Wire", "HTTP", "WebSocket", "SessionCore", "Storage", "Primitives", "Platform", "Networking",
        "TestSupport",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: settings),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Replay", swiftSettings: settings),

    // The model class of a SharePlay app for Apple's systems. The same source is compiled in Swift 5 mode, as Apple's samples
    // are, and in Swift 6 mode.
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
  ]
}

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
