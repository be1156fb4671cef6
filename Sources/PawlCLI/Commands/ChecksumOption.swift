import ArgumentParser
import Pawl
import PawlCore

enum ChecksumOption {
    static func parse(_ text: String) throws(UsageError) -> Digest {
        do throws(DigestParseError) {
            return try Digest(parsing: text)
        } catch {
            throw UsageError(error.message)
        }
    }
}

/// Digests from a list.
struct ChecksumFileOption: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Fail unless the file hashes to what this list says of it (docs/metalink.md).",
            valueName: "file or url"))
    var checksumFile: String?

    /// In bytes; some hundred thousand lines.
    static let mostBytes = 16 << 20

    var holdsSecrets: Bool { checksumFile.map { DocumentReader.isURL($0) && DocumentReader.holdsSecrets($0) } ?? false }

    /// - Parameter checksum: what `--checksum` says.
    func check(besides checksum: String?) throws(UsageError) {
        guard checksum == nil || checksumFile == nil else {
            throw UsageError("--checksum and --checksum-file both say what the file hashes to; give one of them.")
        }
    }

    /// The list; nil where none was named.
    func list(_ reader: DocumentReader) async throws -> NamedDigestList? {
        guard let place = checksumFile else { return nil }
        let document = try await reader.read(place, atMost: Self.mostBytes)
        return NamedDigestList(
            shown: MetalinkOptions.shown(place), list: DigestList(parsing: document.bytes, listName: Self.name(of: place)))
    }

    /// Gives each request the digest that the list has for it.
    ///
    /// - Throws: `UsageError` for the first that the list has none for, so that nothing begins that could not be checked.
    func apply(to requests: inout [DownloadRequest], _ reader: DocumentReader) async throws {
        guard let list = try await list(reader) else { return }
        for index in requests.indices {
            requests[index].digest = try list.digest(for: Self.paths(of: requests[index]))
        }
    }

    /// The names under which a list may have the file: as its server calls it, as it is to be called here, as a mirror calls it.
    static func paths(of request: DownloadRequest) -> [String] {
        ([request.url] + request.mirrors.map(\.url)).enumerated().flatMap { index, url in
            let path = (try? HTTPURL(parsing: url)).map { Self.decoded($0.path) }
            return [path, index == 0 ? request.fileName : nil].compactMap { $0 }
        }
    }

    private static func decoded(_ path: String) -> String {
        String(decoding: PercentCoding.decode(path.utf8), as: UTF8.self)
    }

    private static func name(of place: String) -> String {
        let path = DocumentReader.isURL(place) ? (try? HTTPURL(parsing: place))?.path ?? "" : place
        return path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    }
}

/// A list of digests, and what to call it.
struct NamedDigestList {
    var shown: String
    var list: DigestList

    func digest(for paths: [String]) throws(UsageError) -> Digest {
        do throws(DigestListError) {
            return try list.digest(forFileAt: paths)
        } catch {
            throw UsageError("\(shown): \(error.message)")
        }
    }
}
