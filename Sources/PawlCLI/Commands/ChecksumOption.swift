import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

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

    var holdsSecrets: Bool { checksumFile.map { JobDocument.isURL($0) && DocumentReader.holdsSecrets($0) } ?? false }

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
            shown: MetalinkOptions.shown(place), list: DigestList(parsing: document.bytes, listName: JobDocument.name(of: place)))
    }

    /// Gives each request the digest that the list has for it.
    ///
    /// - Throws: `UsageError` for the first that the list has none for, so that nothing begins that could not be checked.
    func apply(to requests: inout [DownloadRequest], _ reader: DocumentReader) async throws {
        guard let list = try await list(reader) else { return }
        for index in requests.indices {
            requests[index].digest = try list.digest(for: requests[index].namesInLists)
        }
    }
}

extension DownloadRequest {
    var namesInLists: [String] { JobSpec.namesInLists(urls: [url] + mirrors.map(\.url), fileName: fileName) }
}

/// A list of digests, and what to call it.
struct NamedDigestList {
    var shown: String
    var list: DigestList

    func digest(for paths: [String]) throws(UsageError) -> Digest {
        do throws(DigestListError) {
            return try list.digest(forFileAt: paths)
        } catch {
            throw UsageError("\(shown): \(error.message) \(Hints.checksumList)")
        }
    }
}
