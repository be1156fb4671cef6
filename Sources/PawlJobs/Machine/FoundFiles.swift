import PawlCore

/// The files that the documents of a run were found to have, until the run is planned.
struct FoundFiles {
    private(set) var files = JobFiles()
    /// The number of further files that were found more than once.
    private(set) var repeated = 0
    /// The fingerprint that tells each file from others.
    private var keys: [Fingerprint] = []
    /// The places of the files that have names, in their order.
    private(set) var targets: [(index: Int, target: Fingerprint)] = []
    /// The places among them whose names are those of partial files, too.
    private(set) var reserved: [(index: Int, target: FileTarget)] = []
    /// The number of each file's host.
    private(set) var hosts: [Int32] = []
    private var hostNumbers: [ExactText: Int32] = [:]
    /// The index of each file's job.
    private var jobs: [Int32] = []
    private var isInOrder = true
    /// The latest file's job, and the fingerprint of what is done for it: most files have the same.
    private var latest: (spec: JobSpec, work: Fingerprint)?

    mutating func append(_ found: PreparedFile, ofJob job: Int) {
        var hashers = Fingerprint.Hashers()
        hashers.combine(found.identity)
        hashers.combine(found.target)
        hashers.combine(work(for: found.file.spec))
        hashers.combine(found.file.spec.digest)
        if let name = found.target.name {
            targets.append((files.count, Fingerprint(of: found.target)))
            if FileName.isReserved(name.text) { reserved.append((files.count, found.target)) }
        }
        isInOrder = isInOrder && job >= jobs.last ?? 0
        jobs.append(Int32(job))
        keys.append(hashers.finalize())
        files.append(found.file)
        hosts.append(number(ofHost: ExactText(found.host)))
    }

    private mutating func number(ofHost host: ExactText) -> Int32 {
        if let number = hostNumbers[host] { return number }
        defer { hostNumbers[host] = Int32(hostNumbers.count) }
        return Int32(hostNumbers.count)
    }

    /// Stands for what the options guarantee but for a digest, and what is done with the file: two that differ in it
    /// are not one.
    private mutating func work(for spec: JobSpec) -> Fingerprint {
        if let latest, latest.spec.hasCommon(with: spec) { return latest.work }
        var hashers = Fingerprint.Hashers()
        var options = spec.options
        options.digest = nil
        hashers.combine(options.guarantees)
        hashers.combine(spec.use)
        latest = (spec, hashers.finalize())
        return hashers.finalize()
    }

    /// The files in the order of their jobs, each once.
    var eachOnce: FoundFiles {
        guard !isInOrder || Set(keys).count < keys.count else { return self }
        var order = Array(files.indices)
        if !isInOrder { order.sort { (jobs[$0], $0) < (jobs[$1], $1) } }
        var known = Set<Fingerprint>(minimumCapacity: keys.count)
        let first = order.filter { known.insert(keys[$0]).inserted }
        var found = FoundFiles()
        found.repeated = files.count - first.count
        var places = [Int?](repeating: nil, count: files.count)
        for (place, former) in first.enumerated() {
            found.files.append(files[former])
            found.hosts.append(hosts[former])
            places[former] = place
        }
        found.targets = targets.compactMap { target in places[target.index].map { ($0, target.target) } }
        found.reserved = reserved.compactMap { target in places[target.index].map { ($0, target.target) } }
        found.targets.sort { $0.index < $1.index }
        found.reserved.sort { $0.index < $1.index }
        return found
    }
}

/// 128 bits that stand for a value. They depend on a number that each process draws, so nobody can make two values that
/// have the same, and by chance a million values do with a probability of 10⁻²⁷.
struct Fingerprint: Hashable {
    struct Hashers {
        private var first = Hasher()
        private var second = Hasher()

        init() { second.combine(UInt8(1)) }

        mutating func combine(_ value: some Hashable) {
            first.combine(value)
            second.combine(value)
        }

        func finalize() -> Fingerprint {
            Fingerprint(
                first: UInt64(bitPattern: Int64(first.finalize())), second: UInt64(bitPattern: Int64(second.finalize()))
            )
        }
    }

    private let first: UInt64
    private let second: UInt64
}

extension Fingerprint {
    init(of value: some Hashable) {
        var hashers = Hashers()
        hashers.combine(value)
        self = hashers.finalize()
    }
}
