public import FoundationEssentials

// What a program on Apple's systems shows people is `localizedDescription`: it says the same as `description`, in English.

extension GroupActivitiesGateway.ConnectionError: LocalizedError {
  /// The same words as `description`.
  public var errorDescription: String? { description }
}

extension GroupSessionMessenger.SendError: LocalizedError {
  /// The same words as `description`.
  public var errorDescription: String? { description }
}

extension GroupSessionInvalidation: LocalizedError {
  /// The same words as `description`.
  public var errorDescription: String? { description }
}

extension GroupSessionJournal.JournalError: LocalizedError {
  /// The same words as `description`.
  public var errorDescription: String? { description }
}
