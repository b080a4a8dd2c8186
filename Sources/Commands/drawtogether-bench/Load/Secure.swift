internal import Networking

/// TLS as a client that trusts anyone: a load test tells the server nothing.
enum Secure {
  /// What connections are made from.
  static func context() throws(BenchFailure) -> TLSClientContext {
    do throws(TLSContextError) {
      return try TLSClientContext(trust: .anyone)
    } catch {
      throw .tls(error.description)
    }
  }

  /// Runs a step of a connection; its failure is the run's.
  static func run<Result>(_ step: () throws(TLSError) -> Result) throws(BenchFailure) -> Result {
    do throws(TLSError) {
      return try step()
    } catch {
      throw .tls(error.description)
    }
  }
}
