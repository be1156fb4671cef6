package import PawlCore
package import PawlEngine
import PawlSystem

/// Reads and writes small files as a whole. Every call blocks.
package enum WholeFile {
    package struct Content: Sendable {
        /// The text with every byte of the file (``Swift/String/systemBytes``).
        package var text: String
        package var status: FileStatus
    }

    /// Follows symbolic links, as every program does that is given a path. A pipe is read to its end.
    ///
    /// - Parameter limit: a longer one is `.fileTooLarge`.
    package static func read(at path: String, limit: Int) throws(StorageError) -> Content {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw StorageError(operation: "open", name: path, errno: errno) }
        let descriptor = Descriptor(file, name: path)
        var bytes: [UInt8] = []
        let status = try descriptor.use("read") { file throws(StorageError) in
            var status = stat()
            guard fstat(file, &status) == 0 else { throw StorageError(operation: "fstat", name: path, errno: errno) }
            if status.st_mode & S_IFMT == S_IFDIR {
                throw StorageError(operation: "read", name: path, reason: .isADirectory)
            }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = buffer.withUnsafeMutableBytes { SystemCalls.readOnce(file, $0) }
                guard count >= 0 else { throw StorageError(operation: "read", name: path, errno: errno) }
                if count == 0 { break }
                bytes += buffer[..<count]
                guard bytes.count <= limit else {
                    throw StorageError(operation: "read", name: path, reason: .fileTooLarge)
                }
            }
            return FileStatus(status)
        }
        try descriptor.close()
        return Content(text: String(systemBytes: bytes), status: status)
    }

    /// Returns the cause of an error, for the middle of a sentence.
    package static func explanation(of error: StorageError) -> String {
        switch error.reason {
        case .notFound, .notADirectory: "there is no such file"
        case .permissionDenied: "no permission"
        case .isADirectory: "it is a directory"
        case .fileTooLarge: "it is too large for a file of this kind"
        default: "\(error.operation): \(error.reason)"
        }
    }

    /// Puts a new file in the place of what has the name, for its owner alone, durably. Whatever comes between, one
    /// of the two is there whole.
    package static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let place = PathParts(path)
        let directory = try POSIXStorage().openDirectory(place.directory)
        try directory.replace(place.name, with: bytes, isDurable: true, random: .random(in: 0 ... .max))
    }
}

enum WallClock {
    static var secondsSinceEpoch: Int64 { Int64(time(nil)) }
}
