/// The end of a connection that this code runs on. It determines which end masks its frames (RFC 6455 §5.1), and which
/// compression window each end uses (RFC 7692 §7.1.2).
package enum Role: Equatable, Sendable {
  /// The end that accepted the upgrade: it sends unmasked frames and receives masked ones.
  case server

  /// The end that requested the upgrade: it sends masked frames and receives unmasked ones.
  case client
}
