import PawlSystem

/// Moving bytes with calls that may move fewer than they were asked to (FAULTS D09).
enum Transfer {
    /// Calls `move` with the count of bytes moved so far until all are, and answers how many were: fewer only when a
    /// call moved none. Nil when a call failed, with the reason in `errno`.
    ///
    /// A call that a signal interrupted is repeated, and for a while one that says "not now", as a regular file should
    /// never do but those of some file systems in user space do; `pause` is what is done between.
    static func all(
        _ count: Int, pause: () -> Void = { _ = usleep(10_000) }, _ move: (_ done: Int) -> Int
    ) -> Int? {
        var done = 0
        var patience = 100
        while done < count {
            let moved = SystemCalls.retryingInterrupts { move(done) }
            if moved == 0 { break }
            if moved > 0 {
                done += moved
                continue
            }
            guard errno == EAGAIN, patience > 0 else { return nil }
            patience -= 1
            pause()
        }
        return done
    }
}
