internal import Wire

/// The name and color of this participant, and the name and color that were last sent to the gateway.
struct LocalProfile: Sendable {
  /// The current name and color.
  private(set) var value: Profile
  private var sent: Profile?
  private var wasSentAlone = false

  init(_ profile: Profile) {
    value = profile.sanitised
  }

  /// True when the current name and color have not been sent to the gateway.
  var needsSending: Bool { value != sent }

  /// Replaces name and color.
  mutating func replace(_ profile: Profile) {
    value = profile.sanitised
  }

  /// Replaces the name, the color or both; nil keeps the current value.
  mutating func merge(_ profile: Profile) {
    // The gateway may refuse an invalid profile, or close the socket because of it.
    let profile = profile.sanitised
    if let name = profile.name { value.name = name }
    if let color = profile.color { value.color = color }
  }

  /// Records that the profile was sent as part of `join`.
  mutating func recordSentInJoin() {
    sent = value
    wasSentAlone = false
  }

  /// Records that the profile was sent in a message of its own.
  mutating func recordSentAlone() {
    sent = value
    wasSentAlone = true
  }

  /// Marks the profile message for sending again, because a refused control message may have been the profile.
  mutating func repeatSending() {
    if wasSentAlone { sent = nil }
  }
}
