import PawlCore
import Testing

@testable import PawlJobs

@Suite struct FileMapTests {
    private func map(_ total: Int64, _ stored: [Range<Int64>], at positions: [Int64] = [], width: Int) -> String {
        FileMap(total: total, stored: stored.map { ByteRange($0) }, positions: positions, width: width).cells
            .map { cell in
                switch cell {
                case .empty: "."
                case .partly: "+"
                case .stored: "#"
                case .connection: ">"
                }
            }.joined()
    }

    @Test func `each cell shows whether its bytes are stored, partly stored, missing, or being fetched`() {
        #expect(map(100, [], width: 10) == "..........")
        #expect(map(100, [0..<100], width: 10) == "##########")
        #expect(map(100, [0..<25, 50..<51, 90..<100], width: 10) == "##+..+...#")
        #expect(map(100, [0..<25], at: [25, 99], width: 10) == "##>......>")
    }

    @Test func `a file with fewer bytes than the map has columns gets one cell per byte`() {
        #expect(map(3, [1..<2], at: [2], width: 10) == ".#>")
        #expect(map(0, [], width: 10) == "")
        #expect(map(5, [], width: 0) == "")
    }

    /// A connection at the end of the file, and sizes near the largest representable number.
    @Test func `a connection at the end of the file and the largest positions are mapped without a trap`() {
        #expect(map(100, [0..<100], at: [100], width: 4) == "####")
        #expect(map(.max, [0..<(.max)], width: 7) == "#######")
        #expect(map(.max, [(.max - 1)..<(.max)], at: [.max - 1], width: 4) == "...>")
    }

    /// Each byte of a small file belongs to one cell, which becomes full with the last of its bytes.
    @Test(arguments: 1...30 as ClosedRange<Int64>)
    func `a stored range marks at least one cell, and fills all of them only if it is the whole file`(total: Int64) {
        for width in [1, 3, 7, 40] {
            for start in 0..<total {
                for end in start...total {
                    let text = map(total, [start..<end], width: width)
                    #expect(text.count == min(width, Int(total)))
                    #expect(text.contains { $0 != "." } == (end > start))
                    #expect(text.allSatisfy { $0 == "#" } == (start == 0 && end == total))
                }
            }
        }
    }
}
