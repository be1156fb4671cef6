import Testing

@testable import PawlCore

@Suite("The clock of one run")
struct RunClockTests {
    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test func `J10 two minutes without an event count as sleep, except before the first event`() {
        var clock = RunClock()
        let slept = [1000, 1119, 1239, 1240].map { clock.noteEvent(at: at($0)) }
        #expect(slept == [false, false, true, false])
    }

    @Test func `without a limit a run's time never ends; with one, it ends once the limit has passed`() {
        var clock = RunClock()
        #expect(!clock.isOver(at: at(1_000_000)))
        clock.begin(allowing: .seconds(60), at: at(10))
        #expect(!clock.isOver(at: at(69)) && clock.isOver(at: at(70)))
    }

    @Test func `the time allowed stands still during a pause, however often that is told`() throws {
        var clock = RunClock()
        clock.begin(allowing: .seconds(60), at: at(0))
        let pause = try #require(
            SpeedSchedule(parsing: "0:00,pause 1:00,off").pause(at: WeekTime(weekday: 0, secondsOfDay: 0)))
        clock.follow(pause, at: at(10))
        clock.follow(pause, at: at(70))
        #expect(!clock.isOver(at: at(1000)) && clock.nextWakeUp(waitingUntil: nil) == Instant(nanoseconds: .max))
        clock.follow(nil, at: at(1000))
        #expect(!clock.isOver(at: at(1049)) && clock.isOver(at: at(1050)))
    }

    @Test func `a waiting run wakes at the end of its wait or of its time, whichever comes first`() {
        var clock = RunClock()
        #expect(clock.nextWakeUp(waitingUntil: at(30)) == at(30))
        #expect(clock.nextWakeUp(waitingUntil: nil) == Instant(nanoseconds: .max))
        clock.begin(allowing: .seconds(20), at: at(0))
        #expect(clock.nextWakeUp(waitingUntil: at(30)) == at(20))
        #expect(clock.nextWakeUp(waitingUntil: at(10)) == at(10))
        #expect(clock.nextWakeUp(waitingUntil: nil) == at(20))
    }
}
