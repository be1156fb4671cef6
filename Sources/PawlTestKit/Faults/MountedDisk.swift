import PawlSystem

/// A small, really mounted file system for tests to fill up, break and make read-only. Needs root.
///
/// It is mounted in a mount namespace that a helper process holds open, and reached through that process in `/proc`.
/// The helper exits with the last reference, or at most a second after the tests have died, and unmounts what it
/// mounted.
package final class MountedDisk: Sendable {
    package enum Kind: Sendable {
        /// In memory (tmpfs). Reserves space, and has locks.
        case memory(bytes: Int, names: Int? = nil)
        /// An ext4 image on a loop device.
        case ext4(bytes: Int)
        /// An ext2 image, on which the system cannot reserve space.
        case ext2(bytes: Int)
        /// An ext4 image, without a journal of its own, that reports `bytes` of space while the layer beneath it has
        /// only `beneath`: writes are accepted, then lost on writeback.
        case hollow(bytes: Int, beneath: Int)
    }

    package struct Unable: Error, CustomStringConvertible {
        package let description: String
    }

    private let holder: Subprocess
    private let point: TemporaryDirectory
    /// The root directory of the file system.
    package let path: String

    package init(_ kind: Kind) async throws {
        guard geteuid() == 0 else {
            throw Unable(
                description:
                    "this test mounts a file system and needs root; set PAWL_WITHOUT_ROOT=1 to leave such tests out")
        }
        point = try TemporaryDirectory("disk")
        // The loop also ends when the tests die without terminating it.
        let script = """
            PATH=$PATH:/usr/sbin:/sbin; cd '\(point.path)'
            trap 'exit 0' TERM; trap 'umount -l disk; [ ! -d beneath ] || umount -l beneath' EXIT
            \(Self.mounting(kind)); echo ready
            while kill -0 \(getpid()); do sleep 1 & wait $!; done
            """
        holder = try Subprocess("unshare", ["--mount", "--propagation", "private", "sh", "-ec", script])
        let deadline = ContinuousClock.now + .seconds(20)
        while holder.standardOutput != "ready\n" {
            guard holder.running(), ContinuousClock.now < deadline else {
                throw Unable(description: "no file system could be mounted: \(holder.standardError)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        path = "/proc/\(holder.processID)/root\(point.path)/disk"
    }

    deinit {
        // Unmount before the mount points are removed: otherwise the system would keep the mounted file systems for
        // ever.
        holder.terminate()
        for _ in 0..<400 where holder.running() { usleep(5000) }
    }

    private static func mounting(_ kind: Kind) -> String {
        switch kind {
        case .memory(let bytes, let names):
            let inodes = names.map { ",nr_inodes=\($0)" } ?? ""
            return "mkdir disk; mount -t tmpfs -o size=\(bytes),mode=0755\(inodes) pawl-test disk"
        case .ext4(let bytes):
            return image("mkfs.ext4 -q -F -m 0", bytes, beneath: bytes + (4 << 20))
        case .ext2(let bytes):
            return image("mkfs.ext2 -q -F -m 0", bytes, beneath: bytes + (4 << 20))
        case .hollow(let bytes, let beneath):
            return image("mkfs.ext4 -q -F -m 0 -O ^has_journal -E lazy_itable_init=0", bytes, beneath: beneath)
        }
    }

    /// The image lies in a tmpfs of its own. Beneath the mount made from it, the image and that mount would hold each
    /// other for ever once the namespace ends.
    private static func image(_ make: String, _ bytes: Int, beneath: Int) -> String {
        """
        mkdir beneath disk; mount -t tmpfs -o size=\(beneath),mode=0755 pawl-test beneath; truncate -s \(bytes) beneath/image; \
        \(make) beneath/image; mount -o loop beneath/image disk; rmdir disk/lost+found
        """
    }

    // MARK: Meddling

    package enum Change: Sendable {
        /// Remounts as an operator would; refused while a file is open for writing.
        case readOnly
        /// Makes the system react as to a broken file system.
        case abort
        case writable
        /// Enlarges a disk in memory, or the layer beneath a hollow disk.
        case room(bytes: Int)
    }

    package func change(_ change: Change) async throws {
        switch change {
        case .readOnly: try await mount("-o", "remount,ro", "disk")
        case .abort: try await mount("-o", "remount,abort", "disk")
        case .writable: try await mount("-o", "remount,rw", "disk")
        case .room(let bytes):
            let isInMemory = try await inside("stat", "-f", "-c", "%T", "disk") == "tmpfs\n"
            try await mount("-o", "remount,size=\(bytes)", isInMemory ? "disk" : "beneath")
        }
    }

    /// Unmounts an image and mounts it again: anything held only in memory is lost.
    package func remount() async throws {
        // A file that was just released may take a moment to close.
        var attempts = 0
        while true {
            do {
                _ = try await inside("umount", "disk")
                break
            } catch {
                attempts += 1
                guard attempts < 100 else { throw error }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try await mount("-o", "loop", "beneath/image", "disk")
    }

    private func mount(_ arguments: String...) async throws {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        _ = try await inside("sh", "-ec", "mount \(words)")
    }

    private func inside(_ command: String...) async throws -> String {
        let output = try await Subprocess.run(
            "nsenter", ["-t", "\(holder.processID)", "--mount", "--wdns=\(point.path)"] + command)
        guard output.ending == .exited(0) else {
            throw Unable(description: "\(command.joined(separator: " ")): \(output.standardError)")
        }
        return output.standardOutput
    }

    /// Fills the disk, leaving `rest` bytes free. Returns the path of the file that takes the space; removing it frees
    /// the space again.
    @discardableResult
    package func fill(leaving rest: Int = 0) throws -> String {
        let path = path + "/ballast"
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { _ = close(file) }
        let block = [UInt8](repeating: 1, count: 4096)
        var written = 0
        while write(file, block, block.count) > 0 { written += block.count }
        if rest > 0 { _ = ftruncate(file, off_t(max(0, written - rest))) }
        return path
    }
}
