// The C library of the platform, for whoever imports this module: which one it is, no other file has to ask. The calls
// below take its types, so that it is exported from here.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif

import CPawl
import PawlCore

// The calls of the C library that take paths, for paths that are text. Swift would hand over the text's UTF-8; these
// hand over its bytes. The compiler prefers them wherever a `String` is passed, and `scripts/check imports` refuses a
// call with a path that is not among them.

package func open(_ path: String, _ flags: Int32) -> Int32 { path.withSystemPath { open($0, flags) } }

package func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    path.withSystemPath { open($0, flags, mode) }
}

package func openat(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
    path.withSystemPath { openat(directory, $0, flags) }
}

package func openat(_ directory: Int32, _ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    path.withSystemPath { openat(directory, $0, flags, mode) }
}

package func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    path.withSystemPath { fstatat(AT_FDCWD, $0, status, 0) }
}

package func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    path.withSystemPath { fstatat(AT_FDCWD, $0, status, AT_SYMLINK_NOFOLLOW) }
}

package func fstatat(
    _ directory: Int32, _ path: String, _ status: UnsafeMutablePointer<stat>, _ flags: Int32
) -> Int32 {
    path.withSystemPath { fstatat(directory, $0, status, flags) }
}

package func access(_ path: String, _ mode: Int32) -> Int32 { path.withSystemPath { access($0, mode) } }

package func faccessat(_ directory: Int32, _ path: String, _ mode: Int32, _ flags: Int32) -> Int32 {
    path.withSystemPath { faccessat(directory, $0, mode, flags) }
}

package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { path.withSystemPath { mkdir($0, mode) } }

package func mkdirat(_ directory: Int32, _ path: String, _ mode: mode_t) -> Int32 {
    path.withSystemPath { mkdirat(directory, $0, mode) }
}

@discardableResult
package func rmdir(_ path: String) -> Int32 { path.withSystemPath { rmdir($0) } }

@discardableResult
package func unlink(_ path: String) -> Int32 { path.withSystemPath { unlink($0) } }

@discardableResult
package func unlinkat(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
    path.withSystemPath { unlinkat(directory, $0, flags) }
}

package func rename(_ path: String, _ newPath: String) -> Int32 {
    path.withSystemPath { path in newPath.withSystemPath { rename(path, $0) } }
}

package func renameat(_ from: Int32, _ path: String, _ to: Int32, _ newPath: String) -> Int32 {
    path.withSystemPath { path in newPath.withSystemPath { renameat(from, path, to, $0) } }
}

package func linkat(_ from: Int32, _ path: String, _ to: Int32, _ newPath: String, _ flags: Int32) -> Int32 {
    path.withSystemPath { path in newPath.withSystemPath { linkat(from, path, to, $0, flags) } }
}

package func symlinkat(_ target: String, _ directory: Int32, _ path: String) -> Int32 {
    target.withSystemPath { target in path.withSystemPath { symlinkat(target, directory, $0) } }
}

@discardableResult
package func chmod(_ path: String, _ mode: mode_t) -> Int32 { path.withSystemPath { chmod($0, mode) } }

@discardableResult
package func fchmodat(_ directory: Int32, _ path: String, _ mode: mode_t, _ flags: Int32) -> Int32 {
    path.withSystemPath { fchmodat(directory, $0, mode, flags) }
}

extension String {
    /// Text from C that ends with a NUL, with every byte of it.
    package init(system text: UnsafePointer<CChar>) {
        self.init(systemBytes: UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The text as C has it: every byte, and a NUL.
    package func withSystemPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard holdsSystemBytes else { return withCString(body) }
        // An array that is passed as a pointer is one for the length of the call.
        return body(systemText)
    }

    /// The same, as an array.
    package var systemText: [CChar] { systemBytes.map(CChar.init(bitPattern:)) + [0] }
}

/// What the system answers with names.
extension SystemCalls {
    /// Nil where the directory is gone or may not be read, with the reason in `errno`.
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

    #if canImport(Darwin)
    package typealias DirectoryStream = UnsafeMutablePointer<DIR>
    #else
    package typealias DirectoryStream = OpaquePointer
    #endif

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
