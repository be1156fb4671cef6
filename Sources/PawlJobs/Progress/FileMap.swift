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
        // A file of fewer bytes than columns has a cell for each byte.
        let count = Int(min(Int64(max(width, 0)), max(total, 0)))
        let bounds = (0...count).map { Self.bound($0, of: count, total: total) }
        var storedBytes = [Int64](repeating: 0, count: count)
        func cell(at position: Int64) -> Int {
            // Proven: asked only for positions below the total, which is then above zero.
            var index = min(count - 1, max(0, Int(Double(position) / Double(total) * Double(count))))
            // The product of rounded quotients may miss by one.
            while index > 0, bounds[index] > position { index -= 1 }
            while index < count - 1, bounds[index + 1] <= position { index += 1 }
            return index
        }
        for range in stored where count > 0 && range.start < total {
            var index = cell(at: range.start)
            while index < count, bounds[index] < range.end {
                storedBytes[index] += min(range.end, bounds[index + 1]) - max(range.start, bounds[index])
                index += 1
            }
        }
        var cells = storedBytes.indices.map { index -> Cell in
            if storedBytes[index] >= bounds[index + 1] - bounds[index] { return .stored }
            return storedBytes[index] > 0 ? .partly : .empty
        }
        for position in positions where count > 0 && position < total { cells[cell(at: position)] = .connection }
        self.cells = cells
    }

    private static func bound(_ index: Int, of count: Int, total: Int64) -> Int64 {
        guard count > 0 else { return 0 }
        let (quotient, remainder) = total.quotientAndRemainder(dividingBy: Int64(count))
        return quotient * Int64(index) + remainder * Int64(index) / Int64(count)
    }
}
