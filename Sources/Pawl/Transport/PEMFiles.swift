import PawlCore
import PawlEngine
import Synchronization

/// The PEM files that a configuration names, each read once: a pipe such as `<(pass show key)` can be read only once,
/// and a certificate may bring its key.
package final class PEMFiles: Sendable {
    private let known = Locked<[ExactText: Result<[UInt8], TransportError>]>([:])

    package init() {}

    /// - Parameter role: what the file is, for the error: “certificate file”.
    package func bytes(of path: String, _ role: String) throws(TransportError) -> [UInt8] {
        let result = known.withLock { known in
            if let result = known[ExactText(path)] { return result }
            let result = Result { () throws(TransportError) in try Self.read(path, role) }
            known[ExactText(path)] = result
            return result
        }
        return try result.get()
    }

    private static func read(_ path: String, _ role: String) throws(TransportError) -> [UInt8] {
        do throws(StorageError) {
            let bytes = try WholeFile.read(at: path, limit: 16 << 20).text.systemBytes
            // U+FEFF, as editors of Windows leave it: the first line would not be one of PEM.
            return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        } catch {
            throw TransportError(.tls, "the \(role) \(path) cannot be read: \(WholeFile.explanation(of: error))")
        }
    }
}
