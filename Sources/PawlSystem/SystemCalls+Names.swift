import CPawl
import PawlCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Names and paths that the system returns.
extension SystemCalls {
    /// The working directory; nil if it is gone or may not be read, with the reason in `errno`.
    package static var workingDirectory: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(system: path)
    }

    /// The path without links and dots (realpath(3)); nil where it does not lead to anything, with the reason in
    /// `errno`.
    package static func realPath(_ path: String) -> String? {
        guard let resolved = path.withSystemPath({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return String(system: resolved)
    }

    /// The path of the program that runs; nil where the system does not tell.
    package static var programPath: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        #if canImport(Darwin)
        var size = UInt32(bytes.count)
        return _NSGetExecutablePath(&bytes, &size) == 0 ? String(system: bytes) : nil
        #else
        if readlink("/proc/self/exe", &bytes, bytes.count - 1) > 0 { return String(system: bytes) }
        // Without /proc. It may lead through links, and from the directory that the process began in.
        return pawl_executed_path().map { String(system: $0) }
        #endif
    }

    /// The next name in a directory; nil at the end, and for an error, which `errno` then tells.
    package static func nextName(in directory: DirectoryStream) -> String? {
        // readdir(3): the end and an error both come back as null; only errno tells them apart.
        errno = 0
        guard let entry = readdir(directory) else { return nil }
        return withUnsafePointer(to: &entry.pointee.d_name) { field in
            // The name may reach beyond the field as declared, and ends with a NUL.
            String(system: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
        }
    }

    /// The names in a directory but for the two dots; none where it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = path.withSystemPath({ opendir($0) }) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let name = nextName(in: directory) {
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
