import Hummingbird
import NIOCore
import NIOPosix
import PawlCore
import PawlEngine
import PawlSystem

/// The call that sends a finished file on to another device.
extension API {
    func file(_ call: HTTPCall, _ id: String) throws(Problem) -> HTTPAnswer {
        let job = try file(call, of: id)
        guard job.state == .completed, let path = job.path else {
            throw Problem(409, "notCompleted", "The file is not complete yet.", id: id)
        }
        if job.isDirect, FileKind.isDirectory(path) {
            throw Problem(
                409, "isDirectory",
                "The archive's members are in a directory; only a file can be downloaded from the service.", id: id)
        }
        let file = try OpenFile(path)
        guard job.isSkipped || Int64(file.length) == job.stored else { throw OpenFile.gone }
        let validator = file.validator
        if let wanted = call.field("if-match"), !Self.matches(wanted, validator) { throw Self.changed }
        var fields = [
            ("etag", validator), ("accept-ranges", "bytes"), ("content-type", "application/octet-stream"),
            ("content-disposition", ContentDisposition.attachment(job.name ?? "download")),
        ]
        if let known = call.field("if-none-match"), Self.matches(known, validator, isWeak: true) {
            return .empty(304, fields: [("etag", validator)])
        }
        var range = 0..<file.length
        var status = 200
        if let text = call.field("range"), call.field("if-range").map({ $0.utf8.elementsEqual(validator.utf8) }) ?? true
        {
            switch Self.range(text, of: file.length) {
            case .whole: break
            case .part(let part):
                (range, status) = (part, 206)
                fields.append(("content-range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.length)"))
            case .unsatisfiable:
                var problem = Problem(
                    416, "rangeNotSatisfiable",
                    "The range begins beyond the end of the file, which has \(file.length) bytes."
                ).answer
                problem.fields.append(("content-range", "bytes */\(file.length)"))
                return problem
            }
        }
        let wanted = range
        return HTTPAnswer(
            status: status, fields: fields.map { (name: $0.0, value: $0.1) },
            body: .stream(length: wanted.count) { writer in
                try await file.send(wanted, to: &writer)
            })
    }

    private static func matches(_ list: String, _ validator: String, isWeak: Bool = false) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { part in
            var tag = ASCII.trimmingBlanks(Array(part)[...])
            if isWeak, tag.starts(with: "W/".utf8) { tag = tag.dropFirst(2) }
            return tag.elementsEqual("*".utf8) || tag.elementsEqual(validator.utf8)
        }
    }

    private enum Wanted { case whole, part(Range<Int>), unsatisfiable }

    /// Parses one range of bytes. Several ranges, or none, are answered with the whole file (RFC 9110 §14.2).
    private static func range(_ text: String, of length: Int) -> Wanted {
        let bytes = Array(text.utf8)
        guard bytes.starts(with: "bytes=".utf8), !bytes.contains(UInt8(ascii: ",")) else { return .whole }
        let ends = bytes.dropFirst(6).split(
            separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }) else { return .whole }
        func number(_ digits: ArraySlice<UInt8>) -> Int? {
            digits.isEmpty ? nil : Int(String(decoding: digits, as: UTF8.self)) ?? .max
        }
        switch (number(ends[0]), number(ends[1])) {
        case (nil, nil): return .whole
        case (nil, let suffix?):
            return suffix == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - suffix)..<length)
        case (let start?, let last):
            if let last, last < start { return .whole }
            return start >= length ? .unsatisfiable : .part(start..<min(length - 1, last ?? .max) + 1)
        }
    }
}

/// A finished file, open for reading.
private final class OpenFile: Sendable {
    private let descriptor: Int32
    let length: Int
    /// Changes whenever the content does, as far as a file system tells.
    let validator: String

    static let gone = Problem(
        410, "fileMissing", "The file is no longer at the path it was downloaded to.",
        hint: "It may have been moved, deleted or replaced.")

    /// The number of bytes read at once.
    private static let pieceLength = 256 * 1024

    /// - Throws: ``Problem`` if it is gone or is no file.
    init(_ path: String) throws(Problem) {
        // There was no link in the path when the file was stored; one that came since may lead out of the roots.
        guard let entry = DirectoryEntry(path, followsLinks: false) else { throw Self.gone }
        let file = entry.open(O_RDONLY | O_NONBLOCK)
        guard file >= 0 else { throw Self.gone }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = SystemCalls.close(file)
            throw Self.gone
        }
        descriptor = file
        length = Int(status.st_size)
        validator = "\"\(status.st_ino)-\(status.st_size)-\(status.modifiedNanoseconds)\""
    }

    deinit { _ = SystemCalls.close(descriptor) }

    func send(_ range: Range<Int>, to writer: inout any ResponseBodyWriter) async throws {
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = min(Self.pieceLength, range.upperBound - position)
            // A disk may take its time, and the threads of tasks are few.
            let buffer = try await NIOThreadPool.singleton.runIfActive { [position] in self.read(at: position, wanted) }
            // It became shorter: the connection ends before what was announced, which the client notices.
            guard buffer.readableBytes > 0 else {
                throw Problem(410, "fileMissing", "The file was truncated while it was being sent.")
            }
            position += buffer.readableBytes
            try await writer.write(buffer)
        }
        try await writer.finish(nil)
    }

    private func read(at position: Int, _ count: Int) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(0, SystemCalls.retryingInterrupts { pread(descriptor, bytes.baseAddress, count, off_t(position)) })
        }
        return buffer
    }
}

extension ContentDisposition {
    /// Returns the `Content-Disposition` of RFC 6266, with the name in ASCII for clients that know nothing else.
    fileprivate static func attachment(_ name: String) -> String {
        let plain = name.utf8.map {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                && $0 != UInt8(ascii: "%") ? $0 : UInt8(ascii: "_")
        }
        // RFC 8187: a percent sign of the name is a byte like any other.
        let encoded = name.utf8.map { byte in
            ASCII.isAlphanumeric(byte) || "!#$&+-.^_`|~".utf8.contains(byte)
                ? String(decoding: [byte], as: UTF8.self)
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return "attachment; filename=\"\(String(decoding: plain, as: UTF8.self))\"; filename*=UTF-8''\(encoded)"
    }
}
