package import PawlCore
import PawlEngine
import Synchronization

/// The owner of a file.
package enum Ownership: Hashable, Sendable {
    case pawls
    /// Pawl made it, and someone moved it.
    case moved
    /// A person or another program made it.
    case users
}

/// The changes that people and other programs make to files while Pawl does not run. Everything here is durable at
/// once.
extension SimulatedDisk {
    /// A regular file as a directory listing shows it.
    package struct Item: Sendable {
        package let name: String
        package let bytes: [UInt8]
        /// Identifies one file under all its names. Unlike an inode number, never reused.
        package let serial: Int
        package let ownership: Ownership
        package let mark: [UInt8]?
        package let inode: UInt64
        /// Marked as a file that may be removed.
        package let isSetAside: Bool
    }

    /// The regular files of a directory, by name.
    package func items(in path: String) -> [Item] {
        state.withLock { state in
            guard let folder = state.folders[SimulatedDiskState.normalized(path)] else { return [] }
            return folder.files.filter { $0.inode.kind == .regular }.map { name, inode in
                Item(
                    name: name, bytes: inode.bytes, serial: inode.serial, ownership: inode.ownership,
                    mark: inode.attributes.mark, inode: inode.identity.inode,
                    isSetAside: inode.attributes.extended[AsideMark.attributeName] != nil)
            }
        }
    }

    /// `mv`, which replaces any file of the new name.
    package func move(_ path: String, to newPath: String) {
        state.withLock { state in
            let ((folder, name), (newFolder, newName)) = (
                SimulatedDiskState.split(path), SimulatedDiskState.split(newPath)
            )
            guard folder == newFolder, name != newName, let parent = state.folders[folder], let inode = parent[name]
            else { return }
            let replaced = parent.areOne(name, newName) ? nil : parent[newName]
            parent.rename(name, to: newName)
            parent.sync()
            if inode.ownership == .pawls { inode.ownership = .moved }
            if let replaced { state.freeSpace(of: replaced) }
        }
    }

    /// `cp`, which leaves holes where nothing was ever written, and replaces any file of the new name.
    ///
    /// - Parameter keepsMark: `cp -a`, which copies extended attributes.
    package func copy(_ path: String, to newPath: String, keepsMark: Bool) {
        state.withLock { state in
            guard path != newPath, let source = state.inode(path), source.kind == .regular else { return }
            let (bytes, data, attributes) = (source.bytes, source.dataBlocks, source.attributes)
            state.makeUsersFile(newPath, bytes, data: data, reserved: RangeSet())
            if keepsMark, let copy = state.inode(newPath) { copy.attributes = attributes }
        }
    }

    /// Installs a file of another program, and replaces any file of the name.
    ///
    /// - Parameters:
    ///   - bytes: The content as reads return it; zero outside `data`.
    ///   - data: The ranges that were written.
    ///   - isReserved: Whether the holes have space on the disk (`fallocate`).
    package func installForeign(_ path: String, _ bytes: [UInt8], data: RangeSet, isReserved: Bool = false) {
        state.withLock { state in
            let everything = RangeSet(ByteRange(0..<Int64(bytes.count)))
            state.makeUsersFile(path, bytes, data: data, reserved: isReserved ? everything : RangeSet())
        }
    }
}

extension SimulatedDisk {
    /// Compresses a file in the background, whoever has it open.
    package func compress(_ path: String) {
        state.withLock { state in
            guard let inode = state.inode(path) else { return }
            let before = inode.occupied.count
            inode.compress()
            state.used -= before - inode.occupied.count
        }
    }

    /// Writes all data back, as the system does within half a minute.
    package func writeBack() {
        state.withLock { state in
            for folder in state.folders.values {
                folder.sync()
                for inode in folder.inodes { inode.sync() }
            }
        }
    }
}

extension SimulatedDiskState {
    fileprivate mutating func makeUsersFile(_ path: String, _ bytes: [UInt8], data: RangeSet, reserved: RangeSet) {
        let inode = install(path, kind: .regular)
        for range in data.ranges {
            bytes[Int(range.start)..<Int(range.end)].withUnsafeBytes { inode.write($0, at: range.start) }
        }
        inode.resize(to: Int64(bytes.count))
        for range in data.ranges + reserved.ranges { inode.occupy(range) }
        inode.sync()
        inode.ownership = .users
        used += inode.occupied.count
    }
}

extension SimulatedInode {
    fileprivate var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            count = read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
    }
}
