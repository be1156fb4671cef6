import Pawl
package import PawlCore
import PawlJobs
import PawlStore
import PawlSystem

/// The error of a list that is cut, with the number of its line: 0 for none.
package enum CutProblem: Error {
    case list(String, line: Int, String)
    case storage(StorageError)
}

/// A list that is cut into shards: in aria2's format, or of JSON objects, one a line.
package struct CutSource {
    private enum Format {
        case list(DownloadList)
        case json(line: [UInt8], number: Int)
    }

    private static let pieceLength = 256 << 10
    /// The longest list: a billion times a thousand. Memory does not grow with it.
    private static let maximumFiles = 1_000_000_000_000

    private let shown: String
    private let form: BatchPlan.Form
    private let names: NameTable
    private let take: (CutLine) throws(StorageError) -> Void
    private var format: Format?

    /// Reads a list, or standard input for `-`.
    ///
    /// - Parameters:
    ///   - form: of the batch.
    ///   - names: of all its lists.
    ///   - take: called with each line.
    static func read(
        _ name: String, _ form: BatchPlan.Form, _ names: NameTable,
        _ take: @escaping (CutLine) throws(StorageError) -> Void
    ) throws(CutProblem) {
        let shown = ListFile.shownName(name)
        let isInput = ListFile.isStandardInput(name)
        let descriptor = isInput ? STDIN_FILENO : PawlSystem.open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(shown) }
        defer { if !isInput { _ = SystemCalls.close(descriptor) } }
        var source = CutSource(shown: shown, form: form, names: names, take: take)
        var piece = [UInt8](repeating: 0, count: pieceLength)
        while true {
            let count = piece.withUnsafeMutableBytes { SystemCalls.readOnce(descriptor, $0) }
            guard count >= 0 else { throw unreadable(shown) }
            if count == 0 { return try source.finish() }
            try source.feed(piece[..<count])
        }
    }

    private init(
        shown: String, form: BatchPlan.Form, names: NameTable, take: @escaping (CutLine) throws(StorageError) -> Void
    ) {
        (self.shown, self.form, self.names, self.take) = (shown, form, names, take)
    }

    private static func unreadable(_ shown: String) -> CutProblem {
        .list(shown, line: 0, "cannot be read: \(SystemCalls.text(of: errno)).")
    }

    private mutating func feed(_ bytes: ArraySlice<UInt8>) throws(CutProblem) {
        switch format {
        case nil:
            let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let first else { return }
            format =
                first == UInt8(ascii: "{")
                ? .json(line: [], number: 1) : .list(DownloadList(limit: Self.maximumFiles))
            try feed(bytes)
        case .list(var list):
            format = nil
            do throws(DownloadList.Problem) { try list.feed(bytes) } catch { throw problem(error) }
            for entry in list.takeComplete() { try add(entry) }
            format = .list(list)
        case .json(var line, var number):
            format = nil
            var rest = bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try add(line + rest[..<end], number)
                (line, number, rest) = ([], number + 1, rest[(end + 1)...])
            }
            line += rest
            guard line.count <= ShardItem.lineLimit else { throw tooLong(number) }
            format = .json(line: line, number: number)
        }
    }

    private mutating func finish() throws(CutProblem) {
        switch format {
        case nil: break
        case .list(var list):
            do throws(DownloadList.Problem) { try list.finish() } catch { throw problem(error) }
            for entry in list.entries { try add(entry) }
        case .json(let line, let number): try add(line, number)
        }
    }

    private func add(_ line: [UInt8], _ number: Int) throws(CutProblem) {
        guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return }
        guard line.count <= ShardItem.lineLimit else { throw tooLong(number) }
        let cut: CutLine
        do throws(JobSpecError) {
            cut = try CutLine(json: line)
        } catch {
            throw .list(shown, line: number, error.message)
        }
        try add(cut, number)
    }

    private func add(_ entry: DownloadList.Entry) throws(CutProblem) {
        let cut: CutLine
        do throws(DownloadList.Problem) {
            let file = try ListedFile(entry.options, of: entry.urls.first, template: JobSpec(""))
            var spec = file.job
            spec.source = .url(entry.urls[0], mirrors: entry.urls.dropFirst().map { Pawl.Mirror($0) })
            guard file.target.directory == nil else {
                throw DownloadList.Problem(line: entry.line, message: "A file of a batch has no directory of its own.")
            }
            spec.fileName = file.target.output
            do throws(JobSpecError) {
                cut = try CutLine(spec)
            } catch {
                let message =
                    error.code == .unknownField
                    ? "A file of a batch has no options of its own but “out”, “header” and “checksum”: all others are those of the plan."
                    : error.message
                throw DownloadList.Problem(line: entry.line, message: message)
            }
        } catch {
            throw problem(error)
        }
        try add(cut, entry.line)
    }

    private func add(_ line: CutLine, _ number: Int) throws(CutProblem) {
        if let name = line.fileName {
            guard form == .files else {
                throw .list(shown, line: number, "In a tar, no file has a name of its own: “\(name)”.")
            }
            guard StoreKey.file(name) != nil else {
                throw .list(
                    shown, line: number,
                    "“\(name)” cannot be the name of an object: 1 to 200 bytes, no slash or backslash, no dot in front, and not two hexadecimal digits."
                )
            }
            guard names.take(name, for: line.key) else {
                throw .list(shown, line: number, "Another file has the name “\(name)”, too.")
            }
        }
        do throws(StorageError) { try take(line) } catch { throw .storage(error) }
    }

    private func problem(_ problem: DownloadList.Problem) -> CutProblem {
        .list(shown, line: problem.line, problem.message)
    }

    private func tooLong(_ number: Int) -> CutProblem {
        .list(shown, line: number, "The line is longer than \(ShardItem.lineLimit / 1024) KiB.")
    }
}
