package import NIOCore
internal import NIOPosix
internal import PawlEngine
internal import PawlSystem
internal import Synchronization

/// Event loops, each on a thread that starts when the loop is first needed.
///
/// NIO's own group starts all of its threads at once, and ends the process where it cannot have one.
package final class EventLoops: Sendable {
    private struct State {
        var loops: [any EventLoop]
        var turn = 0
    }

    /// For epoll(7), eventfd(2) and timerfd_create(2).
    private static let descriptorsOfLoop = 3

    private let limit: Int
    private let state: Locked<State>

    /// The oldest loop, for work that may run on any.
    package let first: any EventLoop

    package init(limit: Int) throws(ThreadShortage) {
        guard let first = Self.start() else { throw ThreadShortage() }
        (self.first, self.limit) = (first, limit)
        state = Locked(State(loops: [first]))
    }

    /// The loops that run, oldest first.
    package var all: [any EventLoop] { state.withLock { $0.loops } }

    /// Returns the loops in turn, and starts the one whose turn has come.
    package func next() -> any EventLoop {
        state.withLock { state in
            defer { state.turn += 1 }
            let place = state.turn % limit
            if place >= state.loops.count, let loop = Self.start() { state.loops.append(loop) }
            return state.loops[place % state.loops.count]
        }
    }

    /// Starts one more loop, unless the limit is reached or no thread is left.
    package func grow() {
        state.withLock { state in
            if state.loops.count < limit, let loop = Self.start() { state.loops.append(loop) }
        }
    }

    package func shutdown() async throws {
        for loop in all { try await loop.shutdownGracefully() }
    }

    private static func start() -> (any EventLoop)? {
        // NIO ends the process where a loop cannot have its descriptors.
        guard ProcessFacts.canOpen(descriptorsOfLoop) else { return nil }
        let started = Monitor<(any EventLoop)?>(nil)
        let hasThread = DetachedThread.start {
            MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
                started.withLock { $0 = loop }
                started.wakeOne()
            }
        }
        guard hasThread else { return nil }
        return started.wait { loop in loop.map { .done($0) } ?? .wait(atMost: nil) }
    }
}
