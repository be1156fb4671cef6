package import PawlCore

/// What hosts have taught, in a small file. Only a cache: what cannot be read is as if it were not there.
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
    package func save(_ memory: HostMemory, wallClock: Int64) {
        guard let folder = try? storage.openDirectory(directory) else { return }
        let bytes = HostMemoryCoding.encode(memory.current(wallClock: wallClock))
        if let left = try? folder.status(name + ".new") { try? folder.remove(name + ".new", ifStill: left.identity) }
        guard let file = try? folder.create(name + ".new") else { return }
        defer { try? file.close() }
        guard (try? file.write(bytes, at: 0)) != nil else { return }
        try? folder.rename(name + ".new", to: name, replacing: true)
    }
}
