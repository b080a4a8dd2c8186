/// The user's choice before an activation (Apple's type).
@nonexhaustive
public enum GroupActivityActivationResult: Hashable, Sendable {
  /// Run the activity alone, because no session is possible or the user chose so.
  case activationDisabled
  /// Continue with `activate()`.
  case activationPreferred
  /// Do not run the activity.
  case cancelled
}
