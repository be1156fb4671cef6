import Pawl
import PawlArchive
import PawlCore
import Testing

@testable import PawlJobs

@Suite("Events of a run, for readers of any speed") struct JobEventsTests {
    private static let one = JobFileID(1)
    private static let two = JobFileID(2)

    private static func progress(_ id: JobFileID, _ bytes: Int64) -> JobEvent {
        .progressed(id, JobProgress(DownloadProgress(state: .downloading, bytesStored: bytes)))
    }

    private static func unpacking(_ bytes: Int64) -> JobEvent {
        var progress = ArchiveProgress()
        progress.bytes = bytes
        return .unpacking(one, archive: "a.zip", progress)
    }

    @Test func `a slow reader gets only the latest progress of each file, in the place of the first`() async {
        let events = JobEvents()
        for event in [
            .began(Self.one), Self.progress(Self.one, 1), Self.progress(Self.two, 1), Self.unpacking(1),
            Self.progress(Self.one, 2), Self.unpacking(2),
        ] {
            events.offer(event)
        }
        #expect(
            await events.next() == [
                .began(Self.one), Self.progress(Self.one, 2), Self.progress(Self.two, 1), Self.unpacking(2),
            ])
        events.offer(Self.progress(Self.one, 3))
        #expect(await events.next() == [Self.progress(Self.one, 3)])
    }

    @Test func `progress from before a file began does not hide later progress`() async {
        let events = JobEvents()
        for event in [Self.progress(Self.one, 0), .began(Self.one), Self.progress(Self.one, 5)] { events.offer(event) }
        #expect(await events.next() == [Self.progress(Self.one, 0), .began(Self.one), Self.progress(Self.one, 5)])
    }

    @Test func `piled-up notices are limited, and no end is lost`() async {
        let events = JobEvents()
        for _ in 0..<10_000 { events.offer(.notice(Self.one, DownloadNotice(.rangesIgnored, now: .zero))) }
        for number in 1...5000 { events.offer(.ended(JobFileID(number), .stopped(.fetch, fetched: nil))) }
        events.offer(.finished)
        let heard = await events.next() ?? []
        #expect(heard.count { if case .notice = $0 { true } else { false } } == 4096)
        #expect(heard.count { if case .ended = $0 { true } else { false } } == 5000)
        #expect(heard.last == .finished)
        #expect(await events.next() == nil)
    }

    @Test func `a waiting reader is woken by the next event`() async {
        let events = JobEvents()
        let reading = Task { await events.next() }
        await Task.yield()
        events.offer(.began(Self.one))
        #expect(await reading.value == [.began(Self.one)])
    }
}
