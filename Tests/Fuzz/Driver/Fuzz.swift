internal import FuzzTargets
internal import Glibc

/// Runs libFuzzer on the target in `FUZZ_TARGET`. If this variable is not set, prints all targets.
@main
enum Fuzz {
  nonisolated(unsafe) private static var target: FuzzTarget?

  static func main() {
    // The name of the target is not an argument, because libFuzzer would lose the argument when it restarts itself.
    let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) }
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      for target in FuzzTarget.all { print(target.name) }
      return
    }
    unsafe Self.target = target
    Allocations.begin()
    var count = CommandLine.argc
    var arguments = unsafe CommandLine.unsafeArgv
    exit(unsafe runDriver(&count, &arguments, { unsafe Fuzz.run($0, $1) }))
  }

  private static func run(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> CInt {
    guard let target = unsafe target else { return -1 }
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
    Allocations.reset()
    do {
      try target.run(input)
    } catch {
      fatalError("FOUND \(target.name): \(error)")
    }
    let most = unsafe Allocations.most
    guard most <= target.memory(length) else {
      fatalError("FOUND \(target.name): \(most) bytes were allocated for an input of \(length)")
    }
    return 0
  }
}

/// Counts the allocated bytes since the beginning of an input.
private enum Allocations {
  nonisolated(unsafe) private static var current = 0
  nonisolated(unsafe) static var most = 0

  static func begin() {
    let isInstalled = unsafe installHooks(
      { _, size in
        unsafe Allocations.current += size
        unsafe Allocations.most = max(Allocations.most, Allocations.current)
      },
      { pointer in
        guard let pointer = unsafe pointer else { return }
        unsafe Allocations.current -= allocatedSize(pointer)
      })
    precondition(isInstalled != 0, "the sanitizer reports allocations")
  }

  static func reset() {
    unsafe current = 0
    unsafe most = 0
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_silgen_name("__sanitizer_install_malloc_and_free_hooks")
private func installHooks(
  _ allocated: @convention(c) (UnsafeRawPointer?, Int) -> Void,
  _ freed: @convention(c) (UnsafeRawPointer?) -> Void
) -> CInt

@_silgen_name("__sanitizer_get_allocated_size")
private func allocatedSize(_ pointer: UnsafeRawPointer) -> Int
