import Pawl
import PawlArchive
import PawlCore
import Testing

@testable import PawlJobs

@Suite("Events of a run, for readers of any speed") struct JobEventsTests {
    private static let one = JobFileID(1)
    private static let two = JobFileID(2)

    private static func progress(_ id: JobFileID, _ bytes: Int64) -> JobEvent {
        .progressed(id, JobProgress(DownloadProgress(state: .running(.downloading), bytesStored: bytes)))
    }

    private static func unpacking(_ bytes: Int64) -> JobEvent {
        var progress = ArchiveProgress()
        progress.bytes = bytes
        return .unpacking(one, archive: "a.zip", progress)
    }

    @Test func `a slow reader gets only the latest progress of each file, in the place of the first`() async {
        let events = JobEvents()
        let reader = events.makeReader()
        for event in [
            .began(Self.one), Self.progress(Self.one, 1), Self.progress(Self.two, 1), Self.unpacking(1),
            Self.progress(Self.one, 2), Self.unpacking(2),
        ] {
            events.publish(event.item)
        }
        #expect(
            await reader.next() == [
                .began(Self.one), Self.progress(Self.one, 2), Self.progress(Self.two, 1), Self.unpacking(2),
            ])
        events.publish(Self.progress(Self.one, 3).item)
        #expect(await reader.next() == [Self.progress(Self.one, 3)])
    }

    @Test func `progress from before a file began does not hide later progress`() async {
        let events = JobEvents()
        let reader = events.makeReader()
        for event in [Self.progress(Self.one, 0), .began(Self.one), Self.progress(Self.one, 5)] {
            events.publish(event.item)
        }
        #expect(await reader.next() == [Self.progress(Self.one, 0), .began(Self.one), Self.progress(Self.one, 5)])
    }

    @Test func `piled-up notices are limited, and no end is lost`() async {
        let events = JobEvents()
        let reader = events.makeReader()
        for _ in 0..<10_000 {
            events.publish(JobEvent.notice(Self.one, DownloadNotice(.rangesIgnored, now: .zero)).item)
        }
        for number in 1...5000 {
            events.publish(JobEvent.ended(JobFileID(number), .stopped(.fetch, fetched: nil)).item)
        }
        events.publish(JobEvent.finished.item)
        events.finish()
        let heard = await reader.next() ?? []
        #expect((2048...4096).contains(heard.count { if case .notice = $0 { true } else { false } }))
        #expect(heard.count { if case .ended = $0 { true } else { false } } == 5000)
        #expect(heard.last == .finished)
        #expect(await reader.next() == nil)
    }

    @Test func `a waiting reader is woken by the next event`() async {
        let events = JobEvents()
        let reader = events.makeReader()
        let reading = Task { await reader.next() }
        await Task.yield()
        events.publish(JobEvent.began(Self.one).item)
        #expect(await reading.value == [.began(Self.one)])
    }
}
