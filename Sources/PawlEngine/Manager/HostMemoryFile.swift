package import PawlCore

/// The host memory in a small file. Only a cache: an unreadable file counts as absent.
package struct HostMemoryFile: Sendable {
    private let storage: any Storage
    private let directory: String
    private let name: String
    private static let largest: Int64 = 1 << 20

    package init(_ storage: any Storage, directory: String, name: String) {
        self.storage = storage
        self.directory = directory
        self.name = name
    }

    package func load(wallClock: Int64) -> HostMemory {
        guard let file = try? storage.openDirectory(directory).open(name, writable: false) else { return HostMemory() }
        defer { try? file.close() }
        guard let size = try? file.status().size, size <= Self.largest, let bytes = try? file.read(Int(size), at: 0),
            let memory = HostMemoryCoding.decode(bytes)
        else { return HostMemory() }
        return memory.current(wallClock: wallClock)
    }

    /// Atomic: the old file or the new one. Not synced: to lose it costs a few refused connections.
    ///
    /// - Parameter random: for the name it has until it is whole. Several processes may save at once.
    package func save(_ memory: HostMemory, wallClock: Int64, random: UInt64) {
        let bytes = HostMemoryCoding.encode(memory.current(wallClock: wallClock))
        try? storage.openDirectory(directory).replace(name, with: bytes, isDurable: false, random: random)
    }
}
