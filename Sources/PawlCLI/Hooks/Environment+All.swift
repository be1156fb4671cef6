#if canImport(Darwin)
@preconcurrency import Darwin
#elseif canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

extension Environment {
    /// Everything the program was started with. Nothing here ever changes it.
    static var all: [String: String] {
        var found: [String: String] = [:]
        #if canImport(Darwin)
        guard var next = _NSGetEnviron().pointee else { return found }
        #else
        var next = environ
        #endif
        while let text = next.pointee {
            let entry = String(cString: text)
            if let equals = entry.firstIndex(of: "=") { found[String(entry[..<equals])] = String(entry[entry.index(after: equals)...]) }
            next += 1
        }
        return found
    }
}
