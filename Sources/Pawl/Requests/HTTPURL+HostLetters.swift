package import PawlCore
import PawlSystem

#if !canImport(Darwin)
internal import CPawl
#endif

extension HTTPURL {
    /// Writes the host of a URL as DNS has it, where its text has letters outside ASCII: `https://bücher.example/` is
    /// `https://xn--bcher-kva.example/` (UTS 46, non-transitional). For each place where the words of people become
    /// URLs; behind it, hosts are ASCII.
    ///
    /// - Throws: for names that are not valid, and where the system has no libidn2.
    package static func writingHostInASCII(_ text: String) throws(HTTPURLError) -> String {
        try replacingHost(in: text) { (host) throws(HTTPURLError) in try ascii(host: host) }
    }

    /// More than 63 letters of four bytes in each of four labels are no name that DNS has.
    private static let longestHost = 1024

    private static func ascii(host: String) throws(HTTPURLError) -> String {
        guard host.utf8.count <= longestHost else { throw .unconvertibleHost("it is too long") }
        #if canImport(Darwin)
        throw .noHostConversion
        #else
        var ascii = [CChar](repeating: 0, count: 256)
        var problem: UnsafePointer<CChar>?
        switch pawl_host_to_ascii(host, &ascii, ascii.count, &problem) {
        case 0: return String(decoding: ascii.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        case ENOENT: throw .noHostConversion
        default: throw .unconvertibleHost(problem.map { String(cString: $0) } ?? "it is too long")
        }
        #endif
    }
}
