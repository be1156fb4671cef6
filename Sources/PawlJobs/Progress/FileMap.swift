package import PawlCore

/// The file as a row of cells: which parts are stored, and where the connections are.
package struct FileMap: Hashable, Sendable {
    package enum Cell: Hashable, Sendable {
        case empty
        case partly
        case stored
        /// A connection stores its next byte here.
        case connection
    }

    package let cells: [Cell]

    package init(total: Int64, stored: [ByteRange], positions: [Int64], width: Int) {
        let parts = Parts(total: total, stored: stored, count: width)
        var cells = parts.stored.indices.map { index -> Cell in
            if parts.stored[index] >= parts.length(index) { return .stored }
            return parts.stored[index] > 0 ? .partly : .empty
        }
        for position in positions where !cells.isEmpty && position < total {
            cells[parts.index(of: position)] = .connection
        }
        self.cells = cells
    }

    /// Returns the level of each of a number of equal parts of the file: 0 has no byte, 255 has all, 1 to 254 has some.
    package static func levels(total: Int64, stored: [ByteRange], count: Int) -> [Int] {
        let parts = Parts(total: total, stored: stored, count: count)
        return parts.stored.indices.map { index in
            let (bytes, length) = (parts.stored[index], parts.length(index))
            if bytes >= length { return 255 }
            // Proven: the quotient lies between zero and one.
            return bytes == 0 ? 0 : min(254, max(1, Int(Double(bytes) / Double(length) * 255)))
        }
    }

    /// The file in parts of equal length.
    private struct Parts {
        private let total: Int64
        private let bounds: [Int64]
        /// Bytes of each that are stored.
        private(set) var stored: [Int64]

        init(total: Int64, stored ranges: [ByteRange], count wanted: Int) {
            // A file of fewer bytes than columns has a cell for each byte.
            let count = Int(min(Int64(max(wanted, 0)), max(total, 0)))
            self.total = total
            bounds = (0...count).map { FileMap.bound($0, of: count, total: total) }
            stored = [Int64](repeating: 0, count: count)
            for range in ranges where count > 0 && range.start < total {
                var index = index(of: range.start)
                while index < count, bounds[index] < range.end {
                    stored[index] += min(range.end, bounds[index + 1]) - max(range.start, bounds[index])
                    index += 1
                }
            }
        }

        func length(_ index: Int) -> Int64 { bounds[index + 1] - bounds[index] }

        func index(of position: Int64) -> Int {
            let count = bounds.count - 1
            // Proven: asked only for positions below the total, which is then above zero.
            var index = min(count - 1, max(0, Int(Double(position) / Double(total) * Double(count))))
            // The product of rounded quotients may miss by one.
            while index > 0, bounds[index] > position { index -= 1 }
            while index < count - 1, bounds[index + 1] <= position { index += 1 }
            return index
        }
    }

    private static func bound(_ index: Int, of count: Int, total: Int64) -> Int64 {
        guard count > 0 else { return 0 }
        let (quotient, remainder) = total.quotientAndRemainder(dividingBy: Int64(count))
        return quotient * Int64(index) + remainder * Int64(index) / Int64(count)
    }
}
