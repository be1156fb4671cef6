internal import PawlEngine
internal import Synchronization

/// Watches what a ``ScriptedServer`` gets rid of: not what it hands to its own system, but what has arrived at the client's.
///
/// Each sample is between two looks at the clock, and a time between samples is counted from the outer ones or the inner ones, whichever is
/// the worse for the rate that is to be shown: what a busy machine does to the meter cannot make a rate look better than it is.
package final class WireMeter: Sendable {
    package struct Sample: Sendable {
        /// Since the meter began; the count was true at some moment between the two.
        package var before: Duration
        package var after: Duration
        package var count: Int
    }

    private static let interval: Duration = .milliseconds(4)

    private let server: ScriptedServer
    private let samples = Locked<[Sample]>([])
    private let isStopped = Locked(false)
    private let thread = Locked<PosixThread?>(nil)

    /// ``stop()`` must be called.
    package init(_ server: ScriptedServer) throws {
        self.server = server
        let thread = try PosixThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// What was measured. Blocks for an interval at most.
    package func stop() -> Record {
        isStopped.withLock { $0 = true }
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
        return record
    }

    package var record: Record { Record(samples: samples.withLock { $0 }) }

    private func run() {
        let clock = ContinuousClock()
        let start = clock.now
        var counts: [Int: Int] = [:]
        while !isStopped.withLock({ $0 }) {
            let before = clock.now - start
            // Connections that are gone keep their last count.
            counts.merge(server.acknowledgedBytes) { max($0, $1) }
            let sample = Sample(before: before, after: clock.now - start, count: counts.values.reduce(0, +))
            samples.withLock { $0.append(sample) }
            _ = Sockets.waitReadable([], timeout: Self.interval)
        }
    }
}

extension WireMeter {
    package struct Record: Sendable {
        package var samples: [Sample]

        /// When the first byte came.
        package var beginning: Duration { samples.first { $0.count > 0 }?.before ?? .zero }

        /// The most that came within any second from `start` on.
        package func largestSecond(from start: Duration = .zero) -> Int {
            let samples = samples.drop { $0.before < start }
            var (most, first) = (0, samples.startIndex)
            for sample in samples {
                while sample.after - samples[first].before > .seconds(1) { first += 1 }
                most = max(most, sample.count - samples[first].count)
            }
            return most
        }

        /// The middle one of all windows of half a second from `start` on. Between two steps the count is taken to have risen evenly, so that the
        /// size of a step is no error. Whoever is too slow is so in most of the windows; one who was not let run for a while, and is not owed
        /// that, in the few around it.
        package func usualBytesPerSecond(from start: Duration) -> Double {
            let steps = zip(samples, samples.dropFirst()).filter { $0.count < $1.count }.map(\.1).filter { $0.before >= start }
            guard let first = steps.first, let last = steps.last else { return 0 }
            let length = Duration.milliseconds(500)
            var rates: [Double] = []
            for begin in stride(from: first.after / .seconds(1), through: (last.after - length) / .seconds(1), by: 0.05) {
                let begin = Duration.seconds(begin)
                rates.append((Self.count(at: begin + length, among: steps) - Self.count(at: begin, among: steps)) / (length / .seconds(1)))
            }
            return rates.isEmpty ? 0 : rates.sorted()[rates.count / 2]
        }

        private static func count(at moment: Duration, among steps: [Sample]) -> Double {
            guard let next = steps.firstIndex(where: { $0.after > moment }) else { return Double(steps.last?.count ?? 0) }
            let (left, right) = (steps[max(0, next - 1)], steps[next])
            guard moment > left.after, left.after < right.after else { return Double(left.count) }
            return Double(left.count) + Double(right.count - left.count) * ((moment - left.after) / (right.after - left.after))
        }

        /// Between two moments, from one step to another, so that the size of a step is no error. The least is by the whole time; the most
        /// leaves out times in which the meter itself was not let run, and perhaps nobody else.
        package func bytesPerSecond(from start: Duration, to end: Duration) -> (least: Double, most: Double) {
            let steps = zip(samples, samples.dropFirst()).filter { $0.count < $1.count }.map(\.1).filter { $0.before >= start && $0.after <= end }
            guard let first = steps.first, let last = steps.last, last.count > first.count else { return (0, 0) }
            let gaps = zip(samples, samples.dropFirst()).filter { $0.before >= first.before && $1.after <= last.after }.map { $1.after - $0.after }
            let lost = gaps.reduce(Duration.zero) { $1 > .milliseconds(50) ? $0 + $1 : $0 }
            let (count, took) = (Double(last.count - first.count), last.after - first.after)
            return (count / (took / .seconds(1)), count / ((took - lost) / .seconds(1)))
        }
    }
}
