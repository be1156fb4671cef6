import Testing

@testable import PawlCore

@Suite("A pause of the timetable")
struct TimetableTests {
    private let pause: SpeedSchedule.Pause

    init() throws {
        let noon = WeekTime(weekday: 1, secondsOfDay: 43_200)
        pause = try #require(SpeedSchedule(parsing: "08:00,pause 22:00,off").pause(at: noon))
    }

    @Test func `a pause closes all connections, keeps what they brought, and counts no failure`() throws {
        var bench = try MachineBench { $0.maximumConnections = 4 }
        bench.send(.begin)
        bench.answerPart(0..<1_000_000, of: 1_000_000)
        bench.advance(to: 400_000)
        bench.wait(.seconds(1))
        bench.send(.timetable(pause))
        #expect(bench.open.isEmpty && bench.phase == .fetching)
        let asked = bench.asks.count
        bench.wait(.seconds(300))
        #expect(bench.asks.count == asked && bench.machine.nextWakeUp != nil)
        #expect(
            bench.machine.written.contains(ByteRange(0..<400_000)) && bench.machine.written == bench.machine.durable)
        let progress = bench.machine.progress(at: bench.now)
        #expect(progress.state == .waiting(.timetable(pause)))
        #expect(progress.state.whyWaiting == "Paused by the timetable until 22:00.")
        bench.send(.timetable(nil))
        #expect(bench.asks.count > asked && bench.asks[asked].range?.hasPrefix("bytes=") == true)
        #expect(bench.machine.lastProblem == nil && bench.faults.isEmpty)
        #expect(bench.reports.count { $0 == .pausedByTimetable(pause) } == 1)
    }

    @Test func `a download that begins during a pause asks nothing before its end, and says why once`() throws {
        var bench = try MachineBench()
        bench.send(.timetable(pause))
        bench.send(.begin)
        bench.send(.timetable(pause))
        #expect(bench.asks.isEmpty && bench.reports == [.pausedByTimetable(pause)])
        bench.send(.timetable(nil))
        #expect(bench.asks.count == 1)
    }

    @Test func `the time allowed for retries stands still during a pause`() throws {
        var bench = try MachineBench { $0.maximumRetryTime = .seconds(600) }
        bench.send(.begin)
        bench.cut()
        bench.send(.timetable(pause))
        bench.now = bench.now + .seconds(3600)
        bench.send(.timetable(nil))
        bench.cut()
        #expect(bench.phase == .fetching)
        try bench.nextAsk()
    }

    @Test func `the user's pause ends a download that the timetable has paused`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answerPart(0..<1000, of: 1000)
        bench.advance(to: 400)
        bench.send(.timetable(pause))
        bench.send(.pause)
        #expect(bench.phase == .paused)
        #expect(bench.send(.timetable(nil)).isEmpty)
    }

    @Test func `a wait for a free connection gives way to a pause`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.send(.permitRefused(ExchangeID(0)))
        bench.send(.timetable(pause))
        bench.send(.hostFreed("origin.example:80"))
        #expect(bench.asks.count == 1)
        bench.send(.timetable(nil))
        #expect(bench.asks.count == 2 && bench.faults.isEmpty)
    }
}
