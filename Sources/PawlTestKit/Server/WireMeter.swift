internal import PawlEngine
internal import Synchronization

/// Measures the delivery of a ``ScriptedServer``: bytes that reached the client's system, not bytes handed to the
/// server's own.
///
/// Each sample lies between two readings of the clock. An interval between samples uses the outer or the inner
/// readings, whichever is worse for the rate under test, so a busy machine can never make a rate look better than it
/// is.
package final class WireMeter: Sendable {
    package struct Sample: Sendable {
        /// Times since the meter began; the count was true at some moment between `before` and `after`.
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

    /// Stops measuring and returns the record. Blocks for at most one interval.
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
            // Closed connections keep their last count.
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

        /// The time at which the first byte arrived.
        package var beginning: Duration { samples.first { $0.count > 0 }?.before ?? .zero }

        /// The most bytes that arrived within any second from `start` on.
        package func largestSecond(from start: Duration = .zero) -> Int {
            let samples = samples.drop { $0.before < start }
            var (most, first) = (0, samples.startIndex)
            for sample in samples {
                while sample.after - samples[first].before > .seconds(1) { first += 1 }
                most = max(most, sample.count - samples[first].count)
            }
            return most
        }

        /// The median rate over all windows of half a second from `start` on. Between two steps the count is
        /// interpolated, so that a step's size adds no error. A sender that is too slow is too slow in most windows;
        /// one that was merely not scheduled for a while, and is not owed that time, is slow only in the few windows
        /// around the gap.
        package func usualBytesPerSecond(from start: Duration) -> Double {
            let steps = zip(samples, samples.dropFirst()).filter { $0.count < $1.count }.map(\.1).filter {
                $0.before >= start
            }
            guard let first = steps.first, let last = steps.last else { return 0 }
            let length = Duration.milliseconds(500)
            var rates: [Double] = []
            for begin in stride(from: first.after / .seconds(1), through: (last.after - length) / .seconds(1), by: 0.05)
            {
                let begin = Duration.seconds(begin)
                rates.append(
                    (Self.count(at: begin + length, among: steps) - Self.count(at: begin, among: steps))
                        / (length / .seconds(1)))
            }
            return rates.isEmpty ? 0 : rates.sorted()[rates.count / 2]
        }

        private static func count(at moment: Duration, among steps: [Sample]) -> Double {
            guard let next = steps.firstIndex(where: { $0.after > moment }) else {
                return Double(steps.last?.count ?? 0)
            }
            let (left, right) = (steps[max(0, next - 1)], steps[next])
            guard moment > left.after, left.after < right.after else { return Double(left.count) }
            return Double(left.count) + Double(right.count - left.count)
                * ((moment - left.after) / (right.after - left.after))
        }

        /// The rate between two moments, measured from step to step so that a step's size adds no error. `least` uses
        /// the whole time; `most` leaves out gaps in which the meter itself, and perhaps everything else, was not
        /// scheduled.
        package func bytesPerSecond(from start: Duration, to end: Duration) -> (least: Double, most: Double) {
            let steps = zip(samples, samples.dropFirst()).filter { $0.count < $1.count }.map(\.1).filter {
                $0.before >= start && $0.after <= end
            }
            guard let first = steps.first, let last = steps.last, last.count > first.count else { return (0, 0) }
            let gaps = zip(samples, samples.dropFirst()).filter { $0.before >= first.before && $1.after <= last.after }
                .map { $1.after - $0.after }
            let lost = gaps.reduce(Duration.zero) { $1 > .milliseconds(50) ? $0 + $1 : $0 }
            let (count, took) = (Double(last.count - first.count), last.after - first.after)
            return (count / (took / .seconds(1)), count / ((took - lost) / .seconds(1)))
        }
    }
}
