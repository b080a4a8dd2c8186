/// Which end of the connection this is. It decides who masks (RFC 6455 §5.1) and whose window is whose (RFC 7692 §7.1.2).
package enum Role: Equatable, Sendable {
  /// The end that answered the upgrade: it sends unmasked frames and receives masked ones.
  case server

  /// The end that asked for the upgrade: it sends masked frames and receives unmasked ones.
  case client
}
