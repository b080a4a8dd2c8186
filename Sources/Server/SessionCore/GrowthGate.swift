internal import Wire

/// The reasons for which the gateway lets a session grow no more.
struct GrowthGate {
  /// Bytes that all sessions hold in memory, if this one must not grow because of that.
  var memoryPressure: Int? {
    didSet { isClosed = memoryPressure != nil || dataRefusal != nil }
  }
  /// The refusal of entries that make the session larger, while the data folder or its creator's share is full.
  var dataRefusal: Refusal? {
    didSet { isClosed = memoryPressure != nil || dataRefusal != nil }
  }
  /// True while there is one of these two reasons: their only check on the path of an entry.
  private(set) var isClosed = false
  /// True while the whole gateway has too many unsaved bytes.
  var refusesUnsaved = false
}
