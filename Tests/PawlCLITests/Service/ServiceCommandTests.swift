import Pawl
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI
@testable import PawlClient

@Suite struct ServiceCommandTests {
    private func parse(_ line: String) throws -> any Subcommand {
        try #require(try PawlCommand.subcommand(from: line.split(separator: " ").map(String.init)))
    }

    @Test(arguments: ["pause", "resume", "retry", "rm"])
    func `an action needs ids, a filter or --all`(name: String) throws {
        for words in ["", " 8d6f --all", " --all --state failed", " 8d6f --tag a"] {
            #expect(throws: (any Error).self, "\(words)") { try parse(name + words) }
        }
        for words in [" 8d6f", " 8d6f 1111", " --all", " --state failed,paused", " --search iso --tag a"] {
            _ = try parse(name + words)
        }
    }

    @Test func `a filter has known states`() throws {
        let command = try #require(
            try parse("ls --state running,waiting --state failed --tag a --search b") as? DownloadsCommand)
        let filter = try command.filter.filter()
        #expect(filter.states == [.running, .waiting, .failed] && filter.tag == "a" && filter.text == "b")
        let wrong = try #require(try parse("ls --state done") as? DownloadsCommand)
        #expect(throws: UsageError("--state takes running, waiting, queued, paused, failed, completed, not “done”.")) {
            try wrong.filter.filter()
        }
        #expect(throws: (any Error).self) { try parse("ls --sort colour") }
        _ = try parse("ls --sort=-size -n 5")
    }

    @Test func `a move has one destination`() throws {
        for words in ["move 8d6f", "move 8d6f --top --bottom", "move --top", "move 8d6f --up 0"] {
            #expect(throws: (any Error).self) { try parse(words) }
        }
        for words in ["move 8d6f 1111 --top", "move 8d6f --before 1111", "move 8d6f --down 3"] { _ = try parse(words) }
    }

    @Test func `a change says what, and sends only that`() throws {
        for words in ["change 8d6f", "change --url http://h/a", "change 8d6f -x 17", "change 8d6f --digest --user a:b"]
        {
            #expect(throws: (any Error).self, "\(words)") { try parse(words) }
        }
        let all =
            "change 8d6f --url http://h/a --mirror http://i/a -x 3 --tag t --header A:b --cookie c=d --user me:secret"
        let patch = try #require(try parse(all) as? ChangeCommand).patch(SecretReader())
        let expected =
            #"{"connections":3,"url":"http://h/a","mirrors":["http://i/a"],"authentication":{"name":"me","password":{"value":"secret"}},"headers":[["A","b"],["Cookie","c=d"]],"tag":"t"}"#
        #expect(patch.json.encoded == expected)
        let tag = try #require(try PawlCommand.subcommand(from: ["change", "8d6f", "--tag", ""]) as? ChangeCommand)
        #expect(try tag.patch(SecretReader()).json.encoded == #"{"tag":null}"# && !tag.changesRequest)
    }

    @Test func `a limit is a rate, a timetable or off`() throws {
        #expect(
            try LimitCommand.patch("2M").speedLimit == .some(2 << 20)
                && LimitCommand.patch("2M").timetable == .some(nil))
        #expect(try LimitCommand.patch("off").speedLimit == .some(nil))
        #expect(try LimitCommand.patch("08:00,512k 19:00,off").timetable == .some("08:00,512k 19:00,off"))
        for word in ["fast", "25:00,1k"] { #expect(throws: UsageError.self) { try LimitCommand.patch(word) } }
    }

    @Test func `all arguments of serve are passed on`() throws {
        let command = try #require(try parse("serve --open --port 7000 -v") as? ServeCommand)
        #expect(command.arguments == ["--open", "--port", "7000", "-v"])
    }

    @Test func `a service that does not run is told with what helps`() {
        let error = ServiceError(.notRunning, "The service is not running: nothing listens at “s”.")
        #expect(
            error.text
                == "The service is not running: nothing listens at “s”. Start it with 'pawl serve', or name another one with --service."
        )
        #expect(ExitCode(error) == .network)
        #expect(
            ServiceError(.unknownDownload, "There is none.", hint: "Look.", status: 404).text == "There is none. Look."
        )
    }

    @Test func `a problem has the exit code that the same failure has in get`() {
        #expect(ExitCode(ServiceError(.unknownDownload, "", status: 404)) == .usage)
        #expect(ExitCode(ServiceError(.init(rawValue: "outsideRoots"), "", status: 403)) == .refused)
        #expect(ExitCode(ServiceError(.targetInUse, "", status: 409)) == .locked)
        #expect(ExitCode(ServiceError(.storeFull, "", status: 507)) == .diskFull)
        #expect(ExitCode(ServiceError(.wrongToken, "", status: 401)) == .refused)
        #expect(ExitCode(ServiceError(.init(rawValue: "notFailed"), "", status: 409)) == .failure)
    }
}
