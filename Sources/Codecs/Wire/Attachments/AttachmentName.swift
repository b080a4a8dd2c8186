/// The name of an attachment: for display, and as the suggested name of a saved file. The gateway never uses it as a
/// path.
package enum AttachmentName {
  /// The maximum number of Unicode scalars of a name, which take at most 1,020 bytes.
  package static let maximumScalars = 255
  /// The name of an attachment that was uploaded without a name.
  package static let defaultName = "attachment"

  /// Returns the valid part of a name: without control, format and line characters except joiners, trimmed and
  /// truncated; `defaultName` if nothing is left.
  package static func sanitised(_ name: String?) -> String {
    guard let name else { return defaultName }
    return DisplayText.sanitised(name, maximumScalars: maximumScalars, keepsJoiners: true) ?? defaultName
  }
}
