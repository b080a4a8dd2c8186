internal import Wire

/// Refusals of requests for sessions.
extension Refusal {
  static var noSession: Refusal {
    Refusal(.notFound, "There is no such session.")
  }

  static var ended: Refusal {
    Refusal(.ended, "This session has ended.")
  }

  static var restarting: Refusal {
    var refusal = Refusal(.unavailable, "The gateway is about to restart: try again in a moment.")
    refusal.retryAfterMs = 2000
    return refusal
  }

  /// The refusal of requests for a session that another gateway owns.
  static var ownedElsewhere: Refusal {
    var refusal = Refusal(.unavailable, "Another gateway owns this session: try again in a moment.")
    refusal.retryAfterMs = 2000
    return refusal
  }

  /// The refusal of a change that would take effect when it is stored, but cannot be stored because the disk does not accept
  /// writes.
  static var notSaved: Refusal {
    var refusal = Refusal(
      .storageFull, "The gateway cannot store the change, so the change has no effect: try again later."
    )
    refusal.retryAfterMs = 5000
    return refusal
  }

  static var outOfDescriptors: Refusal {
    var refusal = Refusal(
      .unavailable, "The gateway has reached its limit of open files: try again in a moment.")
    refusal.retryAfterMs = 2000
    return refusal
  }
}
