#if canImport(Darwin)
@preconcurrency import Darwin
#elseif canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

import CPawl
import PawlCore

/// The arguments and variables that the program was started with. Nothing here ever changes them.
package enum Environment {
    /// The arguments, with the name of the program in front; each keeps its bytes (``Swift/String/systemBytes``). Empty
    /// where a caller of execve(2) gave none.
    package static let arguments: [String] = {
        guard let words = pawl_arguments() else { return [] }
        return (0..<Int(pawl_argument_count())).compactMap { words[$0].map { String(system: $0) } }
    }()

    package static func value(_ name: String) -> String? {
        getenv(name).map { String(system: $0) }
    }

    #if !canImport(Darwin)
    /// The variables as C has them.
    static var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { environ }
    #endif

    /// Everything, as `NAME=value` in bytes: nothing says that it is UTF-8.
    package static var entries: [[UInt8]] {
        var found: [[UInt8]] = []
        #if canImport(Darwin)
        guard var next = _NSGetEnviron().pointee else { return found }
        #else
        var next = pointers
        #endif
        while let text = next.pointee {
            found.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
            next += 1
        }
        return found
    }
}
