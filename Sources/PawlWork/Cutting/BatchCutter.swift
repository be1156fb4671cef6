import Pawl
package import PawlCore
package import PawlEngine
package import PawlStore
import Synchronization

/// Cuts a list into shards: each file once, all files of a host in one shard, and the files of each host spread over
/// theirs. Memory grows with the number of hosts only. Calls block, and come from one thread.
package final class BatchCutter {
    private struct Host {
        var count: UInt32 = 0
        var shard: UInt32 = 0
        /// The number of its lines that have their place.
        var placed: UInt32 = 0
    }

    private static let bucketCount = 256
    /// The bytes that are sorted in memory at once.
    private static let maximumSorted: Int64 = 32 << 20
    /// Positions in a shard, from 0 to 1, as whole numbers.
    private static let scale = 9_007_199_254_740_992.0
    /// The number of names of hosts that are kept; beyond that, those of hosts with so many files.
    private static let (maximumNames, many) = (100_000, 1000 as UInt32)

    private let plan: BatchPlan
    private let directory: any StorageDirectory
    private let digests: any DigestFactory
    private let random: () -> UInt64
    private let spread: Set<ExactText>
    private var buckets: Partitions
    private var hosts: [UInt64: Host] = [:]
    private var names: [UInt64: String] = [:]
    /// The number of lines that were there already.
    package private(set) var duplicates = 0

    /// - Parameters:
    ///   - directory: has room for three times the list.
    ///   - spread: hosts whose files may be in all shards, in lower case.
    package init(
        _ plan: BatchPlan, in directory: any StorageDirectory, digests: any DigestFactory,
        spread: Set<ExactText> = [], random: @escaping () -> UInt64
    ) throws(StorageError) {
        (self.plan, self.directory, self.digests, self.random) = (plan, directory, digests, random)
        self.spread = spread
        buckets = try Partitions(Self.bucketCount, in: directory, random: random())
    }

    package func add(_ line: CutLine) throws(StorageError) {
        let key = Self.hash(line.key)
        let isSpread = spread.contains(ExactText(line.host))
        // Each part of a host that may be in all shards is to them a host of its own.
        let host = isSpread ? Self.hash("\(line.host) \(key % UInt64(plan.shards))") : Self.hash(line.host)
        let count = (hosts[host]?.count ?? 0) + 1
        hosts[host, default: Host()].count = count
        if hosts.count <= Self.maximumNames ? count == 1 : count == Self.many { names[host] = line.host }
        try buckets.append(host, key, line.text.utf8, to: Int(host % UInt64(Self.bucketCount)))
    }

    private static func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes(XXHash64.hash) }

    // MARK: Once

    /// Leaves out lines that are there twice, and decides where each host goes.
    package func settle() throws(StorageError) -> Forecast {
        for host in hosts.keys { hosts[host]?.count = 0 }
        let once = try Partitions(Self.bucketCount, in: directory, random: random())
        for bucket in 0..<buckets.count {
            // A bucket that one host has made too large is divided; equal lines meet in one part.
            let parts = buckets.sizes[bucket] / Self.maximumSorted + 1
            guard parts > 1 else {
                try deduplicate(buckets, bucket, into: once, bucket)
                continue
            }
            let split = try Partitions(Int(clamping: parts), in: directory, random: random())
            try buckets.forEach(in: bucket) { (record) throws(StorageError) in
                let part = Int(record.second % UInt64(split.count))
                try split.append(record.first, record.second, record.bytes, to: part)
            }
            for part in 0..<split.count { try deduplicate(split, part, into: once, bucket) }
        }
        buckets = once
        hosts = hosts.filter { $0.value.count > 0 }
        assign()
        let largest = names.compactMap { hash, name in hosts[hash].map { (name, Int($0.count)) } }
            .max { ($0.1, $1.0) < ($1.1, $0.0) }
        return Forecast(
            hosts.values.map { Int($0.count) }, interval: plan.hostRate?.interval ?? .zero, largest: largest)
    }

    private func deduplicate(
        _ source: Partitions, _ part: Int, into once: Partitions, _ bucket: Int
    ) throws(StorageError) {
        var known: [UInt64: [ArraySlice<UInt8>]] = [:]
        try source.forEach(in: part) { (record) throws(StorageError) in
            let alike = known[record.second] ?? []
            // Two that have only the hash in common are two.
            guard alike.isEmpty || !alike.contains(where: { Self.areOne($0, record.bytes) }) else {
                duplicates += 1
                return
            }
            known[record.second] = alike + [record.bytes]
            hosts[record.first]?.count += 1
            try once.append(record.first, record.second, record.bytes, to: bucket)
        }
    }

    private static func areOne(_ line: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        guard let mine = try? CutLine(json: Array(line)), let others = try? CutLine(json: Array(other)) else {
            return line == other
        }
        return mine.key.isExactly(others.key)
    }

    /// The largest hosts first, each to the shard that has the fewest files.
    private func assign() {
        var loads = (0..<plan.shards).map { (files: 0, shard: $0) }
        for (hash, host) in hosts.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            hosts[hash]?.shard = UInt32(clamping: loads[0].shard)
            loads[0].files += Int(host.count)
            // Down the heap.
            var place = 0
            while case let left = 2 * place + 1, left < loads.count {
                let right = left + 1
                let next = right < loads.count && loads[right] < loads[left] ? right : left
                guard loads[next] < loads[place] else { break }
                loads.swapAt(next, place)
                place = next
            }
        }
    }

    // MARK: Shards

    /// Returns the shards, and last the plan, which makes the batch valid. Each is made when it is asked for.
    ///
    /// - Parameter created: when, for readers.
    package func objects(
        created: String? = nil
    ) throws(StorageError) -> some Sequence<
        Result<(key: StoreKey, body: StoreBody), StorageError>
    > {
        let (placed, ranges) = try place()
        var plan = plan
        plan.items = hosts.values.reduce(0) { $0 + Int64($1.count) }
        let bytes = Array((plan.json(created: created) + "\n").utf8)
        let last = StoreBody(bytes, digest: digests.digest(.sha256, of: bytes))
        return (0...plan.shards).lazy.map { [self] shard in
            guard shard < plan.shards else { return .success((.plan, last)) }
            return Result { () throws(StorageError) in
                (.shard(shard), try compressed(placed, shard * ranges..<(shard + 1) * ranges))
            }
        }
    }

    /// Puts each line to its shard, and there to its place: the lines of each host at even distances.
    private func place() throws(StorageError) -> (Partitions, ranges: Int) {
        var counts = [Int64](repeating: 0, count: plan.shards)
        for host in hosts.values { counts[Int(host.shard)] += Int64(host.count) }
        let bytes = buckets.sizes.reduce(0, +) / max(1, counts.reduce(0, +))
        let ranges = Int(clamping: ((counts.max() ?? 0) * bytes) / Self.maximumSorted + 1)
        let placed = try Partitions(plan.shards * ranges, in: directory, random: random())
        for bucket in 0..<buckets.count {
            try buckets.forEach(in: bucket) { (record) throws(StorageError) in
                guard let host = hosts[record.first] else { return }
                hosts[record.first]?.placed += 1
                // Hosts do not begin all at once.
                let phase = Double(record.first >> 32) / 4_294_967_296
                let position = (Double(host.placed) + phase) / Double(host.count)
                let range = min(Int(clamping: Int64(saturating: position * Double(ranges))), ranges - 1)
                try placed.append(
                    UInt64(Int64(saturating: position * Self.scale)), record.second, record.bytes,
                    to: Int(host.shard) * ranges + range)
            }
        }
        return (placed, ranges)
    }

    private func compressed(_ placed: Partitions, _ parts: Range<Int>) throws(StorageError) -> StoreBody {
        let file = try Partitions.unnamedFile(in: directory, random())
        let length = Locked<Int64>(0)
        var digester = try digests.makeDigester(.sha256)
        let writer = try GzipWriter { (bytes) throws(StorageError) in
            digester.update(bytes)
            try file.write(bytes, at: length.withLock { $0 })
            length.withLock { $0 += Int64(bytes.count) }
        }
        for part in parts {
            var records: [Partitions.Record] = []
            try placed.forEach(in: part) { records.append($0) }
            records.sort { ($0.first, $0.second) < ($1.first, $1.second) }
            for record in records { try writer.write(Array(record.bytes) + [UInt8(ascii: "\n")]) }
        }
        try writer.close()
        return StoreBody(file, length: length.withLock { $0 }, digest: digester.finalize())
    }
}
