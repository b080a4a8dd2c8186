internal import Networking
internal import Platform
internal import Primitives

/// The open connections of a reactor, by slot.
///
/// A slot is reused after its connection has closed. The generation in a key distinguishes a connection from earlier connections
/// in the same slot.
final class ConnectionTable {
  /// The connections by slot; nil for a free slot.
  ///
  /// To change the array, `changeRows` swaps it into a local variable. So no other code can run during an access to this
  /// property, and the compiler can remove the run-time exclusivity checks from all accesses. Each turn accesses the property
  /// several times.
  private(set) var rows: [Connection?] = []
  /// The number of open connections.
  private(set) var count = 0
  private var freeSlots: [Int32] = []
  private var lastGeneration: UInt32 = 0
  private let watch: (CInt, UInt64) throws(SystemError) -> Void
  private let unwatch: (CInt) throws(SystemError) -> Void

  /// The maximum generation. This maximum keeps the tokens of all connections below the tokens of the listeners.
  private static let largestGeneration: UInt32 = 0x7FFF_FFFF

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - watch: registers a descriptor with the event loop, under a token.
  ///   - unwatch: removes a descriptor from the event loop.
  init(
    watch: @escaping (CInt, UInt64) throws(SystemError) -> Void,
    unwatch: @escaping (CInt) throws(SystemError) -> Void = { _ in }
  ) {
    self.watch = watch
    self.unwatch = unwatch
  }

  /// Registers a descriptor with the event loop and adds a connection for it.
  ///
  /// - Parameters:
  ///   - descriptor: the socket, which the connection owns after the call.
  ///   - make: creates the connection with its key.
  /// - Returns: the connection.
  /// - Throws: `SystemError` if the descriptor cannot be registered. The descriptor is then closed, and no slot is used.
  func admit(
    _ descriptor: consuming OwnedDescriptor, make: (Connection.Key, consuming OwnedDescriptor) -> Connection
  ) throws(SystemError) -> Connection {
    let slot = freeSlots.last ?? Int32(rows.count)
    lastGeneration = (lastGeneration + 1) & Self.largestGeneration
    let key = Connection.Key(slot: slot, generation: lastGeneration)
    try watch(descriptor.rawValue, key.token)
    let isNew = freeSlots.popLast() == nil
    let connection = make(key, descriptor)
    changeRows { rows in
      if isNew { rows.append(connection) } else { rows[Int(slot)] = connection }
    }
    count += 1
    return connection
  }

  /// Removes a connection from the table and frees its slot. The descriptor is closed when the connection is deallocated, unless
  /// `takeDescriptor` was called before.
  ///
  /// - Returns: false if the connection is not in the table.
  func forget(_ connection: Connection) -> Bool {
    guard isOpen(connection) else { return false }
    changeRows { $0[Int(connection.key.slot)] = nil }
    freeSlots.append(connection.key.slot)
    count -= 1
    return true
  }

  private func changeRows(_ change: (inout [Connection?]) -> Void) {
    var rows: [Connection?] = []
    swap(&rows, &self.rows)
    change(&rows)
    swap(&rows, &self.rows)
  }

  /// Takes the descriptor out of a connection that was removed from the table, and removes the descriptor from the event loop.
  ///
  /// - Returns: the descriptor; nil if it was taken before.
  func takeDescriptor(of connection: Connection) throws(SystemError) -> OwnedDescriptor? {
    guard let descriptor = connection.takeDescriptor() else { return nil }
    try unwatch(descriptor.rawValue)
    return descriptor
  }

  /// Returns true while the connection is in the table.
  func isOpen(_ connection: Connection) -> Bool {
    rows[Int(connection.key.slot)] === connection
  }

  /// Returns the connection with a key; nil if the connection has closed.
  subscript(key: Connection.Key) -> Connection? { Self.connection(token: key.token, in: rows) }

  /// Returns the connection that has a given token in the event loop; nil if the connection has closed.
  subscript(token token: UInt64) -> Connection? { Self.connection(token: token, in: rows) }

  /// Returns the connection that has a given token in the event loop; nil if the connection has closed. `rows` is the property
  /// `rows` of the connection table: a loop over many connections reads this property once and passes it to each call.
  @inline(__always)
  static func connection(token: UInt64, in rows: [Connection?]) -> Connection? {
    let slot = Int(UInt32(truncatingIfNeeded: token))
    guard slot < rows.count, let connection = rows[slot], connection.key.token == token else { return nil }
    return connection
  }
}
