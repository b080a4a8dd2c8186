/// What the program is called and which one it is.
package enum Product {
  /// The version, as `--version`, the log and `/metrics` give it.
  package static let version = "1.0.0"
}
