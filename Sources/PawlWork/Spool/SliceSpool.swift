package import PawlCore
package import PawlEngine
import PawlJobs
package import PawlStore
import Synchronization

/// The files of a slice before they are delivered: a tar that grows, or the bare bytes of files that shall have objects
/// of their own, and beside it a record with a line for each item.
///
/// Nothing is synced: what is here is worth nothing once the machine is gone. After the process has ended, however it
/// did, the next one keeps of both what fits together, by the digests in the record. Calls block, and come from one
/// thread at a time.
package struct SliceSpool {
    /// The slice that is gathered, and its lines as they were read.
    package let slice: Slice
    package let items: [ShardItem]
    /// The attempt, in 32 hexadecimal digits.
    package private(set) var attempt = ""
    /// How many items have an end; and how many of these failed on our side.
    package private(set) var decided = 0
    package private(set) var ourFailures = 0
    private let directory: any StorageDirectory
    private let digests: any DigestFactory
    private let names: Names
    private let record: any StorageFile
    private let tar: any StorageFile
    private var recordLength: Int64 = 0
    private var tarLength: Int64 = 0
    /// The line of each item that has an end.
    private var lines: [[UInt8]?]
    /// The members of the tar, in their order.
    private var members: [Placed] = []
    private var fetched: Int64 = 0
    /// The files whose names others had.
    private var taken = 0

    /// A member of the tar, with what is behind it, and how to tell that the disk has kept it.
    private struct Placed {
        var range: ByteRange
        var file: ByteRange
        var sha256: [UInt8]
        /// The hash of all bytes as they were written, from memory; nil for a file that was copied.
        var hash: UInt64?
    }

    /// The names of the spool's files. Another process that works on the same slice at the same time has other ones,
    /// and so has another machine, whose locks may not be seen here.
    private struct Names {
        let stem: String

        init(_ slice: Slice, on machine: String, number: Int) {
            self.init(slice, on: machine, number == 0 ? "" : ".\(number)")
        }

        init(_ slice: Slice, on machine: String, _ end: String) {
            let batch = String(decoding: slice.batch.utf8.prefix(16), as: UTF8.self)
            let name = withUnsafeBytes(of: Array(machine.utf8).withUnsafeBytes(XXHash64.hash)) { $0.hexadecimal }
            stem = "\(batch)-\(name)-\(slice.id)\(end)"
        }

        var record: String { stem + ".items" }
        var tar: String { stem + ".tar" }
        var manifest: String { stem + ".manifest" }

        /// Whether a file belongs to this spool.
        func has(_ name: String) -> Bool {
            name.isExactly(record) || name.isExactly(tar) || name.isExactly(manifest) || name.begins(with: stem + "-")
        }
    }

    /// The most processes on one machine that can work on one slice.
    private static let maximumSpools = 16

    // MARK: Opening

    /// Opens the spool of an earlier process that has ended, or a new one.
    ///
    /// - Parameter machine: the name of this one.
    /// - Throws: `.busy` if too many processes are at it.
    package init(
        _ slice: Slice, in directory: any StorageDirectory, on machine: String, digests: any DigestFactory,
        random: () -> UInt64
    ) throws(StorageError) {
        for number in 0..<Self.maximumSpools {
            let names = Names(slice, on: machine, number: number)
            switch try Self.lockedFile(names.record, in: directory) {
            case .taken: continue
            case .locked(let record):
                let tar = try Self.file(names.tar, in: directory)
                try self.init(slice, names, record, tar, in: directory, digests)
                if try !restore() { try begin(random) }
                return
            case .noLocks:
                // Nobody could tell whether another process is at it.
                let own = Names(slice, on: machine, ".r\(String(random(), radix: 16))")
                let (record, tar) = (try directory.create(own.record), try directory.create(own.tar))
                try self.init(slice, own, record, tar, in: directory, digests)
                try begin(random)
                return
            }
        }
        throw StorageError(operation: "lock", name: Names(slice, on: machine, number: 0).record, reason: .busy)
    }

    private init(
        _ slice: Slice, _ names: Names, _ record: any StorageFile, _ tar: any StorageFile,
        in directory: any StorageDirectory, _ digests: any DigestFactory
    ) throws(StorageError) {
        (self.slice, self.names, self.record, self.tar) = (slice, names, record, tar)
        (self.directory, self.digests) = (directory, digests)
        items = slice.items
        lines = [[UInt8]?](repeating: nil, count: items.count)
    }

    private enum Locking {
        case locked(any StorageFile)
        /// Another process has it, or another user.
        case taken
        /// The file system has no locks. The file is as it was.
        case noLocks
    }

    private static func lockedFile(_ name: String, in directory: any StorageDirectory) throws(StorageError) -> Locking {
        // Whoever held it may have removed it meanwhile.
        for _ in 0..<16 {
            do throws(StorageError) {
                let file = try file(name, in: directory)
                do throws(StorageError) {
                    guard try file.lock() else {
                        try? file.close()
                        return .taken
                    }
                } catch {
                    guard error.reason == .notSupported else { throw error }
                    if try file.status().size == 0, let status = try directory.status(name) {
                        try? directory.remove(name, ifStill: status.identity)
                    }
                    try? file.close()
                    return .noLocks
                }
                if try directory.names(file, name) { return .locked(file) }
                try? file.close()
            } catch {
                guard error.reason == .permissionDenied else { throw error }
                return .taken
            }
        }
        return .taken
    }

    private static func file(
        _ name: String, in directory: any StorageDirectory
    ) throws(StorageError) -> any StorageFile {
        do throws(StorageError) {
            return try directory.open(name, writable: true)
        } catch {
            guard error.reason == .notFound else { throw error }
        }
        do throws(StorageError) {
            return try directory.create(name)
        } catch {
            // Another was quicker.
            guard error.reason == .exists else { throw error }
            return try directory.open(name, writable: true)
        }
    }

    private mutating func begin(_ random: () -> UInt64) throws(StorageError) {
        try record.truncate(to: 0)
        try tar.truncate(to: 0)
        let numbers = [random(), random()]
        attempt = numbers.withUnsafeBytes { $0.hexadecimal }
        try append(head.jsonValue)
    }

    private var head: ManifestHead {
        ManifestHead(
            slice.batch, slice.id, first: slice.first, items: items.count, attempt: attempt)
    }

    // MARK: Restoring

    /// Takes over what an earlier process has written, as far as it is whole.
    ///
    /// - Returns: false if that is not of this slice.
    private mutating func restore() throws(StorageError) -> Bool {
        var reader = RecordReader(record)
        guard let first = try reader.next(), let found = try? ManifestHead(jsonValue: first.value) else { return false }
        attempt = found.attempt
        guard found == head else { return false }
        recordLength = reader.position
        // Up to the first that is not as it should be.
        while let (value, range) = try reader.next(), let outcome = ItemOutcome(jsonValue: value),
            let index = index(of: outcome.item), lines[index] == nil
        {
            if case .completed(let file) = outcome.end, try !restore(file, items[index]) { break }
            recordLength = range.end
            // Whatever may pass is tried again.
            if case .failed(let failure) = outcome.end, failure.mayPass { continue }
            note(outcome, Array((value.encoded + "\n").utf8))
        }
        try record.truncate(to: recordLength)
        try tar.truncate(to: tarLength)
        return true
    }

    /// Returns false if the file is not in the tar as its line says.
    private mutating func restore(_ file: CompletedItem, _ item: ShardItem) throws(StorageError) -> Bool {
        let member = Self.surroundings(of: file.place, size: file.bytes, item)
        let start = tarLength + Int64(member.front.count)
        guard file.bytes <= Self.largestFile(slice.form), file.offset == start else { return false }
        let end = start + file.bytes
        let range = ByteRange(tarLength..<end + Int64(member.back.count))
        guard try tar.status().size >= range.end, try tar.read(member.front.count, at: tarLength) == member.front,
            try digest(of: ByteRange(start..<end)) == file.sha256,
            try tar.read(member.back.count, at: end) == member.back
        else { return false }
        members.append(Placed(range: range, file: ByteRange(start..<end), sha256: file.sha256))
        tarLength = range.end
        return true
    }

    /// The bytes around a file in the tar, if there is one.
    private static func surroundings(of place: CompletedItem.Place, size: Int64, _ item: ShardItem) -> TarMember {
        switch place {
        case .member(let name): TarMember(name, size: size, meta: item.meta)
        case .object: .bare
        }
    }

    private func digest(of range: ByteRange) throws(StorageError) -> [UInt8] {
        var digester = try digests.makeDigester(.sha256)
        try Self.forEachPiece(of: tar, range) { (piece, _) in piece.withUnsafeBytes { digester.update($0) } }
        return digester.finalize()
    }

    private static func forEachPiece(
        of file: any FileContent, _ range: ByteRange, _ body: ([UInt8], Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        var position = range.start
        while position < range.end {
            let piece = try file.read(Int(clamping: min(1 << 20, range.end - position)), at: position)
            guard !piece.isEmpty else { throw StorageError(operation: "pread", name: "spool", reason: .inputOutput) }
            try body(piece, position)
            position += Int64(piece.count)
        }
    }

    // MARK: Items

    /// The indexes of the items that have no end yet.
    package var open: [Int] { lines.indices.filter { lines[$0] == nil } }

    package func isDecided(_ item: Int) -> Bool { index(of: item).map { lines[$0] != nil } ?? true }

    /// Returns the name of a file that is too large for memory, in the same directory.
    package func fileName(of item: Int) -> String { "\(names.stem)-\(item)" }

    private func index(of item: Int) -> Int? {
        let index = item - slice.first
        return lines.indices.contains(index) ? index : nil
    }

    /// Adds a completed file. Nothing happens if the item has an end already.
    package mutating func add(_ item: Int, _ facts: FinishedFacts, _ bytes: [UInt8]) throws(StorageError) {
        try add(item, facts, size: Int64(bytes.count)) { (spool, member, start) throws(StorageError) in
            // In one call: a copy in memory costs less than two more.
            let all = member.front + bytes + member.back
            try spool.tar.write(all, at: start)
            let known = facts.digest.flatMap { $0.algorithm == .sha256 ? $0.bytes : nil }
            return (known ?? spool.digests.digest(.sha256, of: bytes) ?? [], all.withUnsafeBytes(XXHash3.hash))
        }
    }

    /// Adds a completed file that is on the disk.
    package mutating func add(
        _ item: Int, _ facts: FinishedFacts, copying file: any FileContent, size: Int64
    ) throws(StorageError) {
        try add(item, facts, size: size) { (spool, member, start) throws(StorageError) in
            var digester = try spool.digests.makeDigester(.sha256)
            let first = start + Int64(member.front.count)
            try spool.tar.write(member.front, at: start)
            try Self.forEachPiece(of: file, ByteRange(0..<size)) { (piece, position) throws(StorageError) in
                piece.withUnsafeBytes { digester.update($0) }
                try spool.tar.write(piece, at: first + position)
            }
            try spool.tar.write(member.back, at: first + size)
            return (digester.finalize(), nil)
        }
    }

    /// - Parameter write: writes the member at a position, and returns the digest of the file and the hash of all that
    ///   it wrote.
    private mutating func add(
        _ item: Int, _ facts: FinishedFacts, size: Int64,
        _ write: (Self, TarMember, Int64) throws(StorageError) -> (sha256: [UInt8], hash: UInt64?)
    ) throws(StorageError) {
        guard let index = index(of: item), lines[index] == nil else { return }
        guard size <= Self.largestFile(slice.form) else {
            return try addFailure(item, FailedItem(Self.tooLarge(slice.form)))
        }
        let wanted = items[index]
        guard let place = place(of: wanted, facts) else { return try addFailure(item, .unusableName) }
        let member = Self.surroundings(of: place, size: size, wanted)
        // Where this fails, the next one writes over it.
        let (sha256, hash) = try write(self, member, tarLength)
        let start = tarLength + Int64(member.front.count)
        let file = CompletedItem(
            bytes: size, sha256: sha256, response: facts.response, entityTag: facts.entityTag,
            lastModified: facts.lastModified, contentCoding: facts.contentCoding,
            finalURL: facts.finalURL.isExactly(wanted.shownURL ?? "") ? nil : facts.finalURL, place: place,
            offset: start)
        try append(ItemOutcome(wanted, .completed(file)))
        let range = ByteRange(tarLength..<start + size + Int64(member.back.count))
        members.append(Placed(range: range, file: ByteRange(start..<start + size), sha256: sha256, hash: hash))
        tarLength = range.end
    }

    /// Returns where a file goes; nil if its name can be none in a store.
    private func place(of item: ShardItem, _ facts: FinishedFacts) -> CompletedItem.Place? {
        let (type, url) = (facts.response?.contentType, try? HTTPURL(parsing: facts.finalURL))
        switch slice.form {
        case .tar:
            return .member(
                TarMember.name(slice.key(of: item.number), contentType: type, url: url, hasMeta: item.meta != nil))
        case .files:
            guard let spec = try? item.spec.get() else { return nil }
            if let name = spec.fileName { return StoreKey.file(name).map { .object($0) } }
            let ending = FileExtension.choose(contentType: type, url: url)
            return CutLine.request(spec).map { .object(.file(request: $0, ending: ending)) }
        }
    }

    /// The size of the largest file, in bytes: what the header of a tar tells, or one request to S3 creates.
    private static func largestFile(_ form: BatchPlan.Form) -> Int64 {
        switch form {
        case .tar: USTARHeader.largestFile
        case .files: 5 << 30
        }
    }

    private static func tooLarge(_ form: BatchPlan.Form) -> DownloadError {
        let message = form == .tar ? "A tar takes files of up to 8 GiB." : "A store creates files of up to 5 GiB."
        return DownloadError(.tooLarge, message, remedies: [], recovery: .giveUp)
    }

    /// Adds the failure of an item. Nothing happens if it has an end already.
    package mutating func addFailure(_ item: Int, _ failure: FailedItem) throws(StorageError) {
        guard let index = index(of: item), lines[index] == nil else { return }
        try append(ItemOutcome(items[index], .failed(failure)))
    }

    private mutating func append(_ outcome: ItemOutcome) throws(StorageError) {
        note(outcome, try append(outcome.jsonValue))
    }

    @discardableResult
    private mutating func append(_ value: JSONValue) throws(StorageError) -> [UInt8] {
        let line = Array((value.encoded + "\n").utf8)
        try record.write(line, at: recordLength)
        recordLength += Int64(line.count)
        return line
    }

    private mutating func note(_ outcome: ItemOutcome, _ line: [UInt8]) {
        guard let index = index(of: outcome.item) else { return }
        lines[index] = line
        decided += 1
        switch outcome.end {
        case .completed(let file): fetched += file.bytes
        case .failed(let failure): if failure.mayBeOurs { ourFailures += 1 }
        }
    }

    // MARK: Objects of their own

    /// A file that has to be stored under a name of its own.
    package struct Separate: Sendable {
        package let item: Int
        package let key: StoreKey
        package let body: StoreBody
    }

    /// The files that are to be stored under names of their own, in the order of their items.
    package var separate: [Separate] {
        lines.enumerated().compactMap { index, line in
            guard let file = completed(line), case .object(let key) = file.place, let offset = file.offset else {
                return nil
            }
            let body = StoreBody(PartOfFile(tar, from: offset), length: file.bytes, digest: file.sha256)
            return Separate(item: slice.first + index, key: key, body: body)
        }
    }

    private func completed(_ line: [UInt8]?) -> CompletedItem? {
        guard let value = line.flatMap({ try? JSONValue(parsing: Array($0.dropLast())) }),
            case .completed(let file)? = ItemOutcome(jsonValue: value)?.end
        else { return nil }
        return file
    }

    /// Notes what has become of a file that was to be stored. The record stays as it is: the next process stores it
    /// again, with the same end.
    ///
    /// - Parameter other: the length and digest of the file that has the name; nil: it is this one.
    package mutating func noteStored(_ item: Int, other: (bytes: Int64, sha256: [UInt8])?) {
        guard let index = index(of: item), var file = completed(lines[index]), file.offset != nil else { return }
        file.offset = nil
        var end = ItemOutcome.End.completed(file)
        if let other {
            fetched -= file.bytes
            if isOfRequestAlone(items[index]) {
                // Another attempt was sent another version, and what it was told of that is not known.
                (file.bytes, file.sha256, file.response) = (other.bytes, other.sha256, nil)
                (file.entityTag, file.lastModified, file.contentCoding, file.finalURL) = (nil, nil, nil, nil)
                fetched += file.bytes
                end = .completed(file)
            } else {
                taken += 1
                end = .failed(.nameTaken)
            }
        }
        lines[index] = Array((ItemOutcome(items[index], end).jsonValue.encoded + "\n").utf8)
    }

    /// Whether nobody but an attempt at the same request gives a file this name, and any version of it will do.
    private func isOfRequestAlone(_ item: ShardItem) -> Bool {
        guard let spec = try? item.spec.get() else { return false }
        return (spec.fileName == nil || slice.hasUniqueNames) && spec.options.digest == nil
    }

    // MARK: The end

    /// Lets other processes have it.
    package func close() {
        try? tar.close()
        // To the end: the lock goes with it.
        try? record.close()
    }

    /// The slice as it is delivered.
    package struct Sealed: Sendable {
        package let head: ManifestHead
        /// The tar; nil if no file was completed.
        package let data: StoreBody?
        package let manifest: StoreBody
    }

    /// Ends the tar, and makes the manifest. May be called again.
    ///
    /// - Parameter milliseconds: the time that the slice took.
    /// - Throws: also where the disk has not kept what was written: the next process keeps what it has.
    package mutating func seal(milliseconds: Int64) throws(StorageError) -> Sealed {
        var head = head
        let completed = members.count - taken
        (head.completed, head.failed, head.fetched) = (completed, decided - completed, fetched)
        head.milliseconds = milliseconds
        var data: StoreBody?
        if !members.isEmpty, slice.form == .tar {
            try tar.write(USTARHeader.end, at: tarLength)
            let length = tarLength + Int64(USTARHeader.end.count)
            try tar.truncate(to: length)
            let sha256 = try checkedDigest(length: length)
            head.data = .init(key: .data(slice.id, digest: sha256), bytes: length, sha256: sha256)
            data = StoreBody(tar, length: length, digest: sha256)
        }
        return Sealed(head: head, data: data, manifest: try writeManifest(head))
    }

    /// Returns the digest of the tar, each member of which is compared with what was written.
    private func checkedDigest(length: Int64) throws(StorageError) -> [UInt8] {
        var digester = try digests.makeDigester(.sha256)
        for member in members {
            if let hash = member.hash {
                let bytes = try tar.read(Int(clamping: member.range.count), at: member.range.start)
                guard bytes.withUnsafeBytes(XXHash3.hash) == hash else { throw damaged }
                bytes.withUnsafeBytes { digester.update($0) }
                continue
            }
            var inner = try digests.makeDigester(.sha256)
            try Self.forEachPiece(of: tar, member.range) { (piece, position) in
                piece.withUnsafeBytes { digester.update($0) }
                let start = Int(clamping: max(0, member.file.start - position))
                let end = min(piece.count, Int(clamping: max(0, member.file.end - position)))
                if start < end { piece[start..<end].withUnsafeBytes { inner.update($0) } }
            }
            guard inner.finalize() == member.sha256 else { throw damaged }
        }
        let end = try tar.read(USTARHeader.end.count, at: length - Int64(USTARHeader.end.count))
        guard end == USTARHeader.end else { throw damaged }
        end.withUnsafeBytes { digester.update($0) }
        return digester.finalize()
    }

    private var damaged: StorageError { StorageError(operation: "pread", name: names.tar, reason: .inputOutput) }

    private func writeManifest(_ head: ManifestHead) throws(StorageError) -> StoreBody {
        let file = try Self.file(names.manifest, in: directory)
        let length = Locked<Int64>(0)
        var digester = try digests.makeDigester(.sha256)
        let writer = try GzipWriter { (bytes) throws(StorageError) in
            digester.update(bytes)
            try file.write(bytes, at: length.withLock { $0 })
            length.withLock { $0 += Int64(bytes.count) }
        }
        try writer.write(Array((head.jsonValue.encoded + "\n").utf8))
        for (item, line) in zip(items, lines) {
            guard var line else { throw damaged }
            if let meta = item.meta {
                // In front of the brace and the line's end.
                line.replaceSubrange((line.count - 2)..., with: ",\"meta\":\(meta.encoded)}\n".utf8)
            }
            try writer.write(line)
        }
        try writer.close()
        try file.truncate(to: length.withLock { $0 })
        return StoreBody(file, length: length.withLock { $0 }, digest: digester.finalize())
    }

    /// Removes this spool.
    package func remove() throws(StorageError) {
        try Self.remove(names, record, from: directory)
    }

    /// Removes all that processes on this machine have left that worked on a slice, but for those that still do.
    package static func clear(
        _ slice: Slice, in directory: any StorageDirectory, on machine: String
    ) throws(StorageError) {
        let all = try directory.names()
        for number in 0..<maximumSpools {
            let names = Names(slice, on: machine, number: number)
            guard all.contains(where: names.has), case .locked(let record) = try lockedFile(names.record, in: directory)
            else { continue }
            try remove(names, record, from: directory)
        }
    }

    private static func remove(
        _ names: Names, _ record: any StorageFile, from directory: any StorageDirectory
    ) throws(StorageError) {
        // To the end: the lock goes with it.
        defer { try? record.close() }
        // The record last: what has no record is known by its name alone.
        let own = try directory.names().filter { names.has($0) && !$0.isExactly(names.record) }
        for name in own + [names.record] {
            guard let status = try directory.status(name) else { continue }
            try directory.remove(name, ifStill: status.identity)
        }
    }

    /// The slices of a batch that have spools of this machine's in a directory, also of other tasks.
    package static func slices(
        of batch: String, in directory: any StorageDirectory, on machine: String
    ) throws(StorageError) -> Set<SliceID> {
        let any = Slice(batch, SliceID(shard: 0, slice: 0), first: 0, lines: [])
        let stem = Names(any, on: machine, number: 0).stem
        let front = String(decoding: stem.utf8.dropLast("\(any.id)".utf8.count), as: UTF8.self)
        return Set(
            try directory.names().compactMap { name in
                guard name.begins(with: front) else { return nil }
                return SliceID(beginning: String(decoding: name.utf8.dropFirst(front.utf8.count), as: UTF8.self))
            })
    }
}
