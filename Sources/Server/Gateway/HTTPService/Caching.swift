/// The rule for the copies of a file in browsers' caches. The raw value is that of the field `Cache-Control`.
package enum Caching: String, Sendable {
  /// A browser asks the server before it uses its copy.
  case revalidated = "no-cache"
  /// A browser may use its copy for a day, and asks the server meanwhile, so that it uses a changed file the next time (RFC 5861
  /// §3). Only for the markup of a release: the files that it names never change, so a browser usually still has them. Shared
  /// caches store nothing (`private`): they would give the markup of an earlier release to browsers that have
  /// none of its files.
  case revalidatedInBackground = "private, max-age=0, stale-while-revalidate=86400"
  /// The content never changes under its path, so a browser uses its copy without asking (RFC 8246).
  case immutable = "public, max-age=31536000, immutable"
}
