import PawlJobs
import Synchronization

/// Shows on a terminal how far a walk over the pages of a server has come.
final class IndexDisplay: Sendable {
    private struct State {
        var screen = TerminalScreen()
        var lastDrawing: ContinuousClock.Instant?
        var readPages = 0
    }

    private static let shortestInterval = Duration.milliseconds(125)

    private let session: Session
    private let isDrawn: Bool
    private let state = Mutex(State())

    init(_ session: Session, isDrawn: Bool) {
        self.session = session
        self.isDrawn = isDrawn
    }

    /// The number of pages that were read.
    var readPages: Int { state.withLock { $0.readPages } }

    /// Draws the line again, unless it is too soon or the walk is over.
    func show(_ walk: IndexWalk) {
        state.withLock { state in
            state.readPages = walk.readPages
            guard isDrawn, walk.next != nil else { return }
            if let last = state.lastDrawing, last.duration(to: .now) < Self.shortestInterval { return }
            guard Terminal.isForeground else { return state.screen.forget() }
            state.lastDrawing = .now
            let line = StyledLine(Self.line(walk))
            session.errors.write(state.screen.draw([line], width: Terminal.size.columns, coloured: false))
        }
    }

    static func line(_ walk: IndexWalk) -> String {
        "Pages read: \(walk.readPages). To be read: \(walk.remainingPages). Links found: \(walk.files.count)."
    }

    /// Writes a warning in place of the line.
    func warn(_ message: String) {
        clear()
        session.warn(message)
    }

    /// Takes the line away.
    func clear() {
        let text = state.withLock { state in
            state.lastDrawing = nil
            return state.screen.clear(width: Terminal.size.columns)
        }
        if !text.isEmpty { session.errors.write(text) }
    }
}
