extension SpeedTree {
    /// A node, or a flow.
    struct Member {
        let parent: Int?
        let depth: Int
        /// The limit of a node; nil if it has none of its own.
        var bucket: TokenBucket?
        var children: [Int] = []
        /// The number of flows beneath it that count, itself included, and the number of those that wait.
        var flows = 0
        var waiting = 0
        /// The start tag of the last grant among its children, and where its own last grant ended among its parent's.
        var virtualTime = 0.0
        var finish = 0.0
        /// The bytes granted to a flow and not used yet.
        var allowance = 0.0
        var isWaiting = false
        /// Whether it counts among those that share, and when it last took something, or was made.
        var isCounted = false
        var lastTake = Instant.zero
        let isFlow: Bool
    }
}
