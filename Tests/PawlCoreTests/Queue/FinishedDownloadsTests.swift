import Testing

@testable import PawlCore

@Suite("The list of completed downloads")
struct FinishedDownloadsTests {
    @Test func `removed downloads are skipped, and the rest keep their order`() {
        var list = FinishedDownloads()
        var there: Set<DownloadID> = []
        for number in 1...400 {
            list.append(DownloadID(UInt64(number)))
            there.insert(DownloadID(UInt64(number)))
        }
        for number in 1...400 where number % 4 != 0 {
            there.remove(DownloadID(UInt64(number)))
            list.removeOne { there.contains($0) }
            #expect(list.count == there.count)
            #expect(list.oldest { there.contains($0) } == there.min())
        }
        #expect(list.all { there.contains($0) } == there.sorted())
        list.append(DownloadID(401))
        there = [DownloadID(401)]
        #expect(list.oldest { there.contains($0) } == DownloadID(401))
    }
}
