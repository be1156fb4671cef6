internal import Dispatch
package import NIOCore
internal import NIOPosix
internal import PawlEngine
internal import PawlSystem
internal import Synchronization

/// Event loops, each on a thread that starts when the loop is first needed.
///
/// NIO's own group starts all of its threads at once, and ends the process where it cannot have one.
package final class EventLoops: Sendable {
    private struct Member: Sendable {
        let loop: any EventLoop
        let end: Ending
    }

    private struct State {
        var members: [Member]
        var turn = 0
    }

    /// The number of descriptors of a loop: epoll(7), eventfd(2) and timerfd_create(2).
    package static let descriptorsOfLoop = 3

    private let limit: Int
    private let state: Locked<State>

    /// The oldest loop, for work that may run on any.
    package let first: any EventLoop

    package init(limit: Int) throws(ThreadShortage) {
        guard let first = Self.start() else { throw ThreadShortage() }
        (self.first, self.limit) = (first.loop, limit)
        state = Locked(State(members: [first]))
    }

    /// The loops that run, oldest first.
    package var all: [any EventLoop] { state.withLock { $0.members.map(\.loop) } }

    /// Returns the loops that run, in turn. One small file is at home on one of them: it decides where its connection
    /// is, and wakes no other thread.
    package func next() -> any EventLoop {
        state.withLock { state in
            defer { state.turn += 1 }
            return state.members[state.turn % state.members.count].loop
        }
    }

    /// Starts one more loop, unless the limit is reached or no thread is left. For a transport that has more under way
    /// than loops.
    package func grow() {
        state.withLock { state in
            if state.members.count < limit, let member = Self.start() { state.members.append(member) }
        }
    }

    /// Ends all loops, and waits until their threads have left them. Not to be called on one of them.
    package func shutdown() async {
        let members = state.withLock { $0.members }
        // NIO tells a queue of libdispatch, which starts a thread for it, and waits without an end where it cannot. An
        // inactive one has none; the thread of each loop tells us.
        let queue = DispatchQueue(label: "pawl.event-loops", attributes: .initiallyInactive)
        for member in members { member.loop.shutdownGracefully(queue: queue) { _ in } }
        for member in members { await member.end.wait() }
        // NIO's words in the queue hold the loops: they go now, or with the process. No queue may be released inactive.
        if DetachedThread.canStart(1) { queue.activate() } else { _ = Unmanaged.passRetained(queue) }
    }

    private static func start() -> Member? {
        // NIO ends the process where a loop cannot have its descriptors.
        guard ProcessFacts.canOpen(descriptorsOfLoop) else { return nil }
        let started = Monitor<(any EventLoop)?>(nil)
        let end = Ending()
        let hasThread = DetachedThread.start {
            MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
                started.withLock { $0 = loop }
                started.wakeOne()
            }
            end.tell()
        }
        guard hasThread else { return nil }
        let loop = started.wait { loop in loop.map { .done($0) } ?? .wait(atMost: nil) }
        return Member(loop: loop, end: end)
    }
}

/// The end of a loop: its thread has left it.
private final class Ending: Sendable {
    private struct State {
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    func tell() {
        let waiting = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
