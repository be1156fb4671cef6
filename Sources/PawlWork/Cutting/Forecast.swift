/// How long a batch takes at least, for politeness decides that: a host gets so many requests in a second.
package struct Forecast: Sendable {
    package let files: Int
    package let hosts: Int
    /// The time until nine tenths of all files have come, and until all have, if nothing else takes time.
    package let most: Duration
    package let all: Duration
    /// The host with the most files, and their number.
    package let largest: (host: String, files: Int)?

    /// - Parameter counts: the number of files of each host.
    init(_ counts: some Collection<Int>, interval: Duration, largest: (host: String, files: Int)?) {
        let sorted = counts.sorted()
        files = sorted.reduce(0, +)
        (hosts, self.largest) = (sorted.count, largest)
        all = interval * (sorted.last ?? 0)
        // After so many requests to each host, those that have fewer files are done.
        let wanted = files - files / 10
        var (done, rest, rounds, before) = (0, sorted.count, 0, 0)
        for (index, count) in sorted.enumerated() {
            let step = (count - before) * rest
            if done + step >= wanted {
                rounds = before + (wanted - done + rest - 1) / max(1, rest)
                break
            }
            (done, before, rest) = (done + step, count, sorted.count - index - 1)
            rounds = count
        }
        most = interval * rounds
    }
}
