/// The partial file that this run has set aside: at most one, for a server that keeps changing must not fill the disk
/// (V04, V13).
enum SetAside: Hashable, Sendable {
    case nothing
    /// The number of bytes set aside, and how long they are kept.
    case kept(count: Int64, DownloadMachine.Keeping)

    /// The partial file in hand is given up. Of it and what was set aside before, the longer one is kept.
    ///
    /// - Parameter held: how many bytes of the file in hand there are.
    mutating func add(held: Int64, _ keeping: DownloadMachine.Keeping) -> [DownloadAction] {
        guard case .kept(let count, let former) = self else {
            guard held > 0 else { return [.setAside(keep: false)] }
            self = .kept(count: held, keeping)
            return [.setAside(keep: true)]
        }
        let keeping = former == .always ? .always : keeping
        guard held > count else {
            self = .kept(count: count, keeping)
            return [.setAside(keep: false)]
        }
        self = .kept(count: held, keeping)
        return [.dropAside, .setAside(keep: true)]
    }

    /// Drops bytes that were kept only until the new start has got as far (FAULTS V13).
    mutating func drop(passedBy count: Int64) -> [DownloadAction] {
        guard case .kept(let kept, .untilPassed) = self, count >= kept else { return [] }
        self = .nothing
        return [.dropAside]
    }

    /// Two partial files may be one too many for the disk; then the former one goes. Empty: it must be kept, or there
    /// is none.
    mutating func dropForRoom() -> [DownloadAction] { drop(passedBy: .max) }
}
