import PawlConfiguration
import PawlCore
import PawlSystem
import PawlTestKit
import Testing

@testable import PawlCLI

@Suite struct ConfigReportTests {
    private func report(_ file: String?, _ variables: [String: String] = [:]) throws -> (ConfigReport, path: String) {
        let directory = try TemporaryDirectory("config")
        let path = directory.file("pawl/config.toml")
        if let file {
            #expect(mkdir(directory.file("pawl"), 0o755) == 0)
            let handle = try #require(fopen(path, "w"))
            fputs(file, handle)
            fclose(handle)
        }
        let report = ConfigReport(file: nil) { $0 == "XDG_CONFIG_HOME" ? directory.path : variables[$0] }
        return (report, path)
    }

    @Test func `each option that is set has its value and who set it`() throws {
        let (report, path) = try report(
            "port = 7000\n[get]\nretries = 20\njobs = 7\nquiet = true\ndirectory = \"~/isos\"\n",
            ["PAWL_JOBS": "9", "HOME": "/home/me"])
        #expect(report.problems.isEmpty)
        let text = report.text(all: false, in: .utf8)
        #expect(text.hasPrefix("The file is “\(path)”.\n\n[get], the defaults of pawl get:\n"))
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for line in [
            "directory = /home/me/isos line 6", "jobs = 9 PAWL_JOBS", "quiet = true line 5", "retries = 20 line 3",
            "Options of the service:", "port = 7000 line 1",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(lines.count == 8)
    }

    @Test func `all shows the defaults that hold as well`() throws {
        let (report, path) = try report(nil, ["PAWL_RETRIES": "3"])
        #expect(report.text(all: false, in: .utf8).hasPrefix("There is no file “\(path)”.\n"))
        let lines = report.text(all: true, in: .utf8).split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        for line in ["retries = 3 PAWL_RETRIES", "jobs = 5 default", "proxy not set"] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(lines.count == CommandDefaults.schema.keys.count + 2)
    }

    @Test func `where nothing is set the help is named`() throws {
        let (report, _) = try report("")
        #expect(report.text(all: false, in: .utf8).hasSuffix("“pawl help defaults” lists those that can be.\n"))
        let nowhere = ConfigReport(file: nil) { _ in nil }
        #expect(nowhere.text(all: false, in: .utf8).hasPrefix("There is no configuration file, since HOME is not set."))
    }

    @Test func `secrets are not shown`() throws {
        let (report, _) = try report(
            """
            proxy = "socks5://me:secret@a:1"
            [get]
            proxy = "me:secret@b:2"
            on_complete = "notify\\t--token secret"
            """, ["PAWL_NO_PROXY": "c"])
        let (other, _) = try self.report(
            nil, ["PAWL_PROXY": "http://me:my secret@a:1", "PAWL_ON_COMPLETE": "'my hook'\nsecret"])
        let texts = [report, other].map { $0.text(all: true, in: .utf8) + $0.json(all: true, check: false).encoded }
        for (text, all) in zip(texts, [["socks5://…@a:1", "…@b:2", "notify …"], ["http://…@a:1", "my hook …"]]) {
            #expect(!text.contains("secret") && !text.contains("me:"), "\(text)")
            for shown in all { #expect(text.contains(shown), "\(text)") }
        }
    }

    @Test func `everything that is wrong is told once, with its place`() throws {
        let (report, path) = try report(
            "prot = 3\nretries = 1\nport = \"x\"\n[gte]\n[get]\njobs = 700\nretris = 5\nquiet = 1\n",
            ["PAWL_PROGRESS": "loud", "PAWL_NETRC": "maybe"])
        let messages = report.problems.map(\.message)
        for beginning in [
            "\(path), line 1: “prot” is not an option", "\(path), line 2: “retries” has no effect here",
            "\(path), line 3: --port takes", "\(path), line 4: “gte” is not an option",
            "\(path), line 6: --jobs takes", "\(path), line 7: “retris” is not an option",
            "\(path), line 8: “quiet” takes true or false", "PAWL_PROGRESS: --progress takes",
            "PAWL_NETRC takes true or false",
        ] {
            #expect(messages.count { $0.hasPrefix(beginning) } == 1, "\(beginning) in \(messages)")
        }
        #expect(messages.count == 9)
        let json = report.json(all: false, check: true).encoded
        #expect(json.contains(#"{"key":"retris","line":7,"message":"#) && !json.contains(#""options""#))
    }

    @Test func `options that exclude each other are an error of no line`() throws {
        let (report, _) = try report("[get]\nipv4_only = true\nipv6_only = true\n")
        #expect(report.problems.map(\.message) == ["-4 and -6 exclude each other; without them both kinds are used."])
    }

    @Test func `a line that a variable overrides is checked too`() throws {
        let (report, path) = try report("[get]\njobs = 700\n", ["PAWL_JOBS": "7"])
        #expect(report.problems.map(\.key) == ["jobs"] && report.problems.first?.origin == .line(2, of: path))
        #expect(report.text(all: false, in: .utf8).contains("jobs = 7  PAWL_JOBS"))
    }

    @Test func `a file that is no TOML is told, and the variables are shown`() throws {
        let (report, path) = try report("[get\n", ["PAWL_RETRIES": "3"])
        #expect(report.problems.count == 1 && report.problems.first?.message.hasPrefix("\(path), line 1: ") == true)
        #expect(report.text(all: false, in: .utf8).contains("retries = 3  PAWL_RETRIES"))
        #expect(report.fileExists)
    }

    @Test func `a file without mistakes is valid`() throws {
        let (report, path) = try report("[get]\nretries = 3\n")
        #expect(report.validity(in: .utf8) == "“\(path)” is valid.\n")
        let json = report.json(all: false, check: false).encoded
        #expect(
            json.hasSuffix(
                """
                "exists":true,"options":[{"table":"get","key":"retries","value":"3","origin":"file","line":2,\
                "variable":null}],"errors":[]}
                """), "\(json)")
        #expect(throws: UsageError.self) { try ConfigCommand.parse(["--all", "--check"]) }
    }
}
