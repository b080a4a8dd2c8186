internal import Networking

/// TLS for a client that trusts any certificate: a load test sends no secrets.
enum ClientTLS {
  /// Returns a TLS context for client connections.
  static func context() throws(BenchError) -> TLSClientContext {
    do throws(CertificateError) {
      return try TLSClientContext(trust: .unverified)
    } catch {
      throw .tls(error.description)
    }
  }

  /// Runs a TLS operation, and converts its error to a `BenchError`.
  static func run<Result>(_ step: () throws(TLSError) -> Result) throws(BenchError) -> Result {
    do throws(TLSError) {
      return try step()
    } catch {
      throw .tls(error.description)
    }
  }
}
