/// What came of asking whether to do something together (Apple's type).
@nonexhaustive
public enum GroupActivityActivationResult: Hashable, Sendable {
  /// Alone: there is nobody to do it with, or that was chosen.
  case activationDisabled
  /// Together: go on with `activate()`.
  case activationPreferred
  /// Not at all.
  case cancelled
}
