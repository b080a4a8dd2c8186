public import FoundationEssentials

// Programs for Apple's systems show `localizedDescription`, which is the same English text as `description`.

extension GroupActivitiesGateway.ConnectionError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension GroupSessionMessenger.SendError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension GroupSessionInvalidation: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension GroupSessionJournal.JournalError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}
