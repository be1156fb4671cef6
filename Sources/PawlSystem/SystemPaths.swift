// The C library of the platform, for whoever imports this module: which one it is, no other file has to ask. The calls
// below take its types, so that it is exported from here.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif

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

extension SystemCalls {
    #if canImport(Darwin)
    package typealias DirectoryStream = UnsafeMutablePointer<DIR>
    #else
    package typealias DirectoryStream = OpaquePointer
    #endif
}
