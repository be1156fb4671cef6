import PawlCore
import Synchronization

/// The bytes of a small file, in memory until it is whole, or until something has to be kept of it: then they move to a
/// file with a name.
final class MemoryFirstFile: StorageFile {
    private enum Place {
        case memory([UInt8])
        case disk(any StorageFile)
        case nowhere
    }

    private let name: String
    private let place: Locked<Place>
    /// Whether the bytes are in memory. Read on event loops, which must not wait for the lock while the bytes move.
    private let isInMemory = Atomic(true)

    /// - Parameter size: of the whole file, in bytes.
    init(_ name: String, size: Int) {
        self.name = name
        place = Locked(.memory([UInt8](repeating: 0, count: size)))
    }

    /// The bytes in memory; nil once they have moved.
    var bytes: [UInt8]? {
        place.withLock { place in
            if case .memory(let bytes) = place { bytes } else { nil }
        }
    }

    /// Moves them to `file`, which is used from now on.
    func move(to file: any StorageFile) throws(StorageError) {
        isInMemory.store(false, ordering: .releasing)
        do throws(StorageError) {
            try place.withLock { place throws(StorageError) in
                guard case .memory(let bytes) = place else { return }
                try file.write(bytes, at: 0)
                place = .disk(file)
            }
        } catch {
            isInMemory.store(true, ordering: .releasing)
            throw error
        }
    }

    var isImmediate: Bool { isInMemory.load(ordering: .acquiring) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        let file = try place.withLock { place throws(StorageError) -> (any StorageFile)? in
            switch place {
            case .memory(var held):
                // The only owner, so that nothing is copied.
                place = .nowhere
                defer { place = .memory(held) }
                guard offset >= 0, offset + Int64(bytes.count) <= Int64(held.count) else { throw outOfPlace("pwrite") }
                held.withUnsafeMutableBytes {
                    UnsafeMutableRawBufferPointer(rebasing: $0[Int(offset)...]).copyMemory(from: bytes)
                }
                return nil
            case .disk(let file): return file
            case .nowhere: throw closed("pwrite")
            }
        }
        try file?.write(bytes, at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        let (file, count) = try place.withLock { place throws(StorageError) -> ((any StorageFile)?, Int) in
            switch place {
            case .memory(let held):
                let count = min(buffer.count, max(0, held.count - Int(offset)))
                held.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
                }
                return (nil, count)
            case .disk(let file): return (file, 0)
            case .nowhere: throw closed("pread")
            }
        }
        return try file?.read(into: buffer, at: offset) ?? count
    }

    func close() throws(StorageError) {
        let file = place.withLock { place -> (any StorageFile)? in
            defer { place = .nowhere }
            return if case .disk(let file) = place { file } else { nil }
        }
        try file?.close()
    }

    private func closed(_ operation: String) -> StorageError {
        StorageError(operation: operation, name: name, reason: .stale)
    }
    private func outOfPlace(_ operation: String) -> StorageError {
        StorageError(operation: operation, name: name, reason: .fileTooLarge)
    }

    /// Returns the file that the bytes have moved to.
    private func moved(_ operation: String) throws(StorageError) -> any StorageFile {
        try place.withLock { place throws(StorageError) in
            guard case .disk(let file) = place else { throw closed(operation) }
            return file
        }
    }

    func status() throws(StorageError) -> FileStatus { try moved("fstat").status() }
    func allocate(_ size: Int64) throws(StorageError) -> Bool { try moved("fallocate").allocate(size) }
    func truncate(to size: Int64) throws(StorageError) { try moved("ftruncate").truncate(to: size) }
    func copy(_ range: ByteRange, from other: any StorageFile) throws(StorageError) {
        try moved("copy_file_range").copy(range, from: other)
    }
    func syncData() throws(StorageError) { try moved("fdatasync").syncData() }
    func sync() throws(StorageError) { try moved("fsync").sync() }
    func dropCache() { try? moved("posix_fadvise").dropCache() }
    func lock() throws(StorageError) -> Bool { try moved("fcntl").lock() }
    func setPermissions(_ mode: UInt16) throws(StorageError) { try moved("fchmod").setPermissions(mode) }
    func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) {
        try moved("futimens").setModified(secondsSinceEpoch)
    }
    func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool { try moved("fsetxattr").setMark(mark) }
    func mark() throws(StorageError) -> [UInt8]? { try moved("fgetxattr").mark() }
    func removeMark() throws(StorageError) { try moved("fremovexattr").removeMark() }
    func nextData(from position: Int64) throws(StorageError) -> ByteRange? {
        try moved("lseek").nextData(from: position)
    }
    func created() throws(StorageError) -> Int64? { try moved("statx").created() }
    func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool {
        try moved("fsetxattr").setAttribute(name, to: value)
    }
    func attribute(_ name: String) throws(StorageError) -> [UInt8]? { try moved("fgetxattr").attribute(name) }
    func removeAttribute(_ name: String) throws(StorageError) { try moved("fremovexattr").removeAttribute(name) }
}
