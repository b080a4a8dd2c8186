internal import Wire

/// The reasons for which the gateway forbids a session to grow.
struct GrowthGate {
  /// The memory of all sessions in bytes, if memory is short and this session must not grow; else nil.
  var memoryPressure: Int? {
    didSet { isClosed = memoryPressure != nil || dataRefusal != nil }
  }
  /// The refusal of entries that make the session larger; set while the data folder is full, or the session's creator has used up
  /// its share of the folder.
  var dataRefusal: Refusal? {
    didSet { isClosed = memoryPressure != nil || dataRefusal != nil }
  }
  /// True while `memoryPressure` or `dataRefusal` is set. The code that receives entries checks this flag instead of the two
  /// properties.
  private(set) var isClosed = false
  /// True while the whole gateway has too many unsaved bytes.
  var refusesUnsaved = false
}
