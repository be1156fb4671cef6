import PawlSystem

/// A failed system call of the test itself.
package struct SystemCallError: Error, CustomStringConvertible {
    package let call: String
    package let object: String
    package let number: Int32

    package init(_ call: String, _ object: String, number: Int32 = errno) {
        self.call = call
        self.object = object
        self.number = number
    }

    package var description: String { "\(call) \(object): \(SystemCalls.text(of: number))" }
}

/// Whole files by path, for tests; every failure throws.
package enum Files {
    package static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { _ = close(file) }
        let size = Int(try status(of: file, path).size)
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            while initialized < size {
                let count = pread(file, buffer.baseAddress! + initialized, size - initialized, off_t(initialized))
                guard count >= 0 else { throw SystemCallError("read", path) }
                if count == 0 { return }  // The file shrank meanwhile.
                initialized += count
            }
        }
    }

    /// Whether the file holds exactly these bytes. An expectation on two arrays would print both.
    package static func isEqual(_ path: String, to content: [UInt8]) throws -> Bool {
        let found = try read(path)
        return found.count == content.count
            && found.withUnsafeBytes { left in
                content.withUnsafeBytes { left.isEmpty || memcmp(left.baseAddress!, $0.baseAddress!, left.count) == 0 }
            }
    }

    package static func text(_ path: String) throws -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    package static func sync(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { _ = close(file) }
        guard fsync(file) == 0 else { throw SystemCallError("fsync", path) }
    }

    package static func write(_ bytes: some Collection<UInt8>, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { _ = close(file) }
        func writeAll(_ buffer: UnsafeBufferPointer<UInt8>) throws {
            var written = 0
            while written < buffer.count {
                let count = pwrite(file, buffer.baseAddress! + written, buffer.count - written, off_t(written))
                guard count > 0 else { throw SystemCallError("write", path) }
                written += count
            }
        }
        if try bytes.withContiguousStorageIfAvailable(writeAll) == nil {
            try Array(bytes).withUnsafeBufferPointer(writeAll)
        }
    }

    /// Bytes that do not compress, and that no two files share.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var position = 0
            while position + 8 <= count {
                bytes.storeBytes(of: generator.next() as UInt64, toByteOffset: position, as: UInt64.self)
                position += 8
            }
            while position < count {
                bytes.storeBytes(of: generator.next() as UInt8, toByteOffset: position, as: UInt8.self)
                position += 1
            }
            initialized = count
        }
    }

    package static func exists(_ path: String) -> Bool { (try? status(path)) != nil }

    /// The status of the name itself, not of a symbolic link's target.
    package static func status(_ path: String) throws -> Status {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw SystemCallError("lstat", path) }
        return Status(info)
    }

    private static func status(of file: Int32, _ path: String) throws -> Status {
        var info = stat()
        guard fstat(file, &info) == 0 else { throw SystemCallError("fstat", path) }
        return Status(info)
    }

    package struct Status: Hashable, Sendable {
        package let inode: UInt64
        package let mode: UInt32
        package let size: Int64
        package let modifiedSeconds: Int64
        package let modifiedNanoseconds: Int64

        fileprivate init(_ info: stat) {
            #if canImport(Darwin)
            let modified = info.st_mtimespec
            #else
            let modified = info.st_mtim
            #endif
            inode = UInt64(info.st_ino)
            mode = UInt32(info.st_mode)
            size = Int64(info.st_size)
            modifiedSeconds = Int64(modified.tv_sec)
            modifiedNanoseconds = Int64(modified.tv_nsec)
        }

        package var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }

        package var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    }

    /// Everything beneath a directory, by relative path. Two equal listings mean that nothing was created, removed,
    /// replaced or written in between.
    package static func listing(_ directory: String) throws -> [String: Status] {
        var found: [String: Status] = [:]
        for name in try names(directory) {
            let status = try status("\(directory)/\(name)")
            found[name] = status
            guard status.isDirectory else { continue }
            for (path, status) in try listing("\(directory)/\(name)") { found["\(name)/\(path)"] = status }
        }
        return found
    }

    package static func names(_ directory: String) throws -> [String] {
        guard let stream = directory.withSystemPath({ opendir($0) }) else {
            throw SystemCallError("opendir", directory)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let name = SystemCalls.nextName(in: stream) {
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    package static func makeDirectory(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 else { throw SystemCallError("mkdir", path) }
    }

    package static func setMode(_ path: String, _ mode: UInt32) throws {
        guard chmod(path, mode_t(mode)) == 0 else { throw SystemCallError("chmod", path) }
    }

    package static func makeFIFO(_ path: String) throws {
        guard mkfifo(path, 0o644) == 0 else { throw SystemCallError("mkfifo", path) }
    }

    package static func makeSymbolicLink(_ path: String, to target: String) throws {
        guard symlink(target, path) == 0 else { throw SystemCallError("symlink", path) }
    }

    package static func rename(_ path: String, to newPath: String) throws {
        guard PawlSystem.rename(path, newPath) == 0 else { throw SystemCallError("rename", path) }
    }

    package static func setModified(_ path: String, secondsSinceEpoch: Int64) throws {
        let time = timespec(tv_sec: time_t(secondsSinceEpoch), tv_nsec: 0)
        guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else { throw SystemCallError("utimensat", path) }
    }

    /// Removes a file or a whole directory; does nothing if the path does not exist.
    package static func remove(_ path: String) {
        if let status = try? status(path), status.isDirectory {
            for name in (try? names(path)) ?? [] { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    /// Computed by the system's own tool, so that Pawl's digests do not verify themselves.
    package static func sha256(_ path: String) async throws -> String {
        let output = try await Subprocess.run("sha256sum", [path])
        guard output.ending == .exited(0) else { throw ServerError.toolFailed("sha256sum", output.standardError) }
        // The tool escapes a name with odd characters, and its line then begins with a backslash.
        return String(output.standardOutput.drop { $0 == "\\" }.prefix(64))
    }
}
