internal import SessionCore
internal import Primitives

/// When a session's turn is ended: see `FlushPacer`.
extension Reactor {
  /// Whether what was said in the session waits for more. It stands among the dirty ones again when it has waited.
  func holdsBack(_ hosted: Hosted) -> Bool {
    let interval = shared.configuration.flushInterval ?? FlushPacer.interval(load: load.value)
    let isFixed = shared.configuration.flushInterval != nil
    guard !shared.isDraining, let until = hosted.pacer.waits(interval, isFixed: isFixed, now: now) else {
      hosted.pacer.flushed(messages: hosted.messages, now: now)
      hosted.messages = 0
      return false
    }
    held.append(hosted)
    heldUntil = min(heldUntil ?? until, until)
    return true
  }

  /// Those who have waited long enough are dirty again.
  func releaseHeld() {
    guard let first = heldUntil, first <= now || shared.isDraining else { return }
    var next: MonotonicTime?
    held.removeAll { hosted in
      if let until = hosted.pacer.heldUntil, until > now, !shared.isDraining {
        next = min(next ?? until, until)
        return false
      }
      dirty.append(hosted)
      return true
    }
    heldUntil = next
  }
}
