import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem
import PawlTestKit
import Testing

@testable import PawlCLI

@Suite struct CommandDefaultsTests {
    private static let url = "https://example.org/disk.iso"

    /// A configuration file, and variables beside it.
    private final class Setting {
        let directory: TemporaryDirectory
        private let variables: [String: String]

        init(_ file: String, _ variables: [String: String] = [:]) throws {
            directory = try TemporaryDirectory("defaults")
            self.variables = variables
            #expect(mkdir(directory.file("pawl"), 0o755) == 0)
            let handle = try #require(fopen(directory.file("pawl/config.toml"), "w"))
            fputs(file, handle)
            fclose(handle)
        }

        func environment(_ name: String) -> String? { name == "XDG_CONFIG_HOME" ? directory.path : variables[name] }
    }

    private func get(_ words: String..., in setting: Setting) throws -> GetCommand {
        try #require(
            try PawlCommand.subcommand(from: ["get", Self.url] + words, environment: setting.environment) as? GetCommand
        )
    }

    private func message(_ words: [String], in setting: Setting) -> String {
        do throws(UsageError) {
            _ = try PawlCommand.subcommand(from: words, environment: setting.environment)
            return ""
        } catch {
            let problem = try? CommandDefaults(for: words, environment: setting.environment).problem
            return (problem ?? error).message
        }
    }

    @Test func `an argument comes before a variable, and a variable before the file`() throws {
        let setting = try Setting(
            "port = 7000\n[get]\nretries = 20\nconnections = 2\njobs = 7\nremote_time = true\nnetrc = true\n",
            ["PAWL_CONNECTIONS": "3", "PAWL_JOBS": "9", "PAWL_NETRC": "false", "PAWL_NO_PROXY": "a,b"])
        let command = try get("-x", "4", in: setting)
        #expect(command.jobs.words.job.options.maximumRetries == 20)
        #expect(command.jobs.words.job.options.maximumConnections == 4)
        #expect(command.queue.jobs == 9)
        #expect(command.jobs.words.job.options.keepsRemoteTime)
        #expect(!command.server.files.netrc)
        #expect(command.server.connection.noProxy == "a,b")
        #expect(try get("--no-config", in: setting).jobs.words.job.options.maximumRetries == nil)
        #expect(try get("--no-config", in: setting).queue.jobs == nil)
        #expect(try get("--", "--no-config", in: setting).jobs.words.job.options.maximumRetries == 20)
    }

    @Test func `N32 an option of the table that stands in front of it is an error, with the line`() throws {
        let setting = try Setting("port = 7000\nretries = 20\n[get]\njobs = 3\n")
        let message = message(["get", Self.url], in: setting)
        #expect(message.contains("line 2") && message.contains("retries") && message.contains("[get]"), "\(message)")
        #expect(self.message(["get", Self.url], in: try Setting("remote_time = true\n")).contains("remote_time"))
        #expect(self.message(["get", Self.url], in: try Setting("[get]\nport = 7000\n")).contains("Move it above"))
        for key in ["directory", "ca_certificate", "proxy", "no_proxy", "bind_address", "on_complete"] {
            #expect(self.message(["get", Self.url], in: try Setting("\(key) = \"x\"\n")) == "")
        }
    }

    @Test func `a flag that is on by default can be taken back`() throws {
        let setting = try Setting("[get]\nquiet = true\nnetrc = true\n", ["PAWL_XATTR": "1"])
        let command = try get("--no-quiet", "--no-xattr", "--no-netrc", in: setting)
        #expect(!command.output.quiet && !command.jobs.words.job.options.recordsOrigin && !command.server.files.netrc)
        #expect(try get("--no-xattr", in: setting).output.quiet)
        #expect(try !get("--no-quiet", in: try Setting("")).output.quiet)
        #expect(try !get("--quiet", "--no-quiet", in: setting).output.quiet)
        #expect(try !get("-q", "--no-quiet", in: setting).output.quiet)
        #expect(try get("--no-quiet", "--quiet", in: setting).output.quiet)
        #expect(throws: (any Error).self) { try get("--no-jobs", in: setting) }
        #expect(throws: (any Error).self) { try PawlCommand.subcommand(from: ["status", "--no-quiet", "file"]) }
        #expect(try get("--", "--no-quiet", in: setting).jobs.urls == [Self.url, "--no-quiet"])
    }

    @Test(arguments: [
        ("PAWL_RETIRES=3", "PAWL_RETRIES"), ("PAWL_CONECTIONS=3", "PAWL_CONNECTIONS"), ("PAWL_RETRIES=3", nil),
        ("PAWL_URL=x", nil), ("PAWL_TOKEN=x", nil),
        ("PAWL_FILE=x", nil), ("PAWL_DIRECTROY=x", nil), ("PAWL_RETRY=3", nil), ("PAWL_MIRROR_OF_MINE=x", nil),
        ("PAWL_R=x", nil), ("HOME=/", nil),
    ])
    func `a variable that is nearly one of ours is reported`(_ variable: String, _ meant: String?) {
        let warning = self.warning(["get", Self.url], variable)
        #expect(self.warning(["probe", Self.url], variable) == warning)
        for words in [["add", Self.url], ["get", "-q", Self.url], ["get", "--no-config", Self.url]] {
            #expect(self.warning(words, variable) == nil)
        }
        #expect((warning != nil) == (meant != nil))
        #expect(meant.map { warning?.contains("$\($0)") == true } ?? true)
    }

    private func warning(_ words: [String], _ variable: String) -> String? {
        CommandDefaults.warning(for: words, about: [Array("PATH=/bin".utf8), Array(variable.utf8)])
    }

    @Test func `a key that is nearly one of ours is named`() throws {
        #expect(message(["get", Self.url], in: try Setting("[get]\nretires = 3\n")).contains("“retries”"))
    }

    @Test func `an empty value means none, as in an argument`() throws {
        #expect(try get(in: Setting("[get]\nproxy = \"\"\n")).server.connection.proxy == "")
        #expect(try get(in: Setting("", ["PAWL_USER_AGENT": ""])).jobs.words.job.userAgent == "")
    }

    @Test func `words of curl and wget go together with defaults`() throws {
        let command = try get("-LO", in: Setting("[get]\nretries = 20\n"))
        #expect(command.jobs.words.job.options.maximumRetries == 20)
    }

    @Test func `a command has the defaults of its own options`() throws {
        let setting = try Setting("[get]\nretries = 20\njobs = 7\nproxy = \"http://p:1\"\ndirectory = \"/isos\"\n")
        let probe = try PawlCommand.subcommand(from: ["probe", Self.url], environment: setting.environment)
        #expect(try #require(probe as? ProbeCommand).server.connection.proxy == "http://p:1")
        let list = try PawlCommand.subcommand(from: ["list", Self.url], environment: setting.environment)
        #expect(try #require(list as? ListCommand).server.connection.proxy == "http://p:1")
        // What the service downloads has the defaults of the service.
        let add = try PawlCommand.subcommand(from: ["add", Self.url], environment: setting.environment)
        #expect(try #require(add as? AddCommand).jobs.target.directory == nil)
    }

    @Test func `the directory is for files that no option names`() throws {
        let setting = try Setting(
            "[get]\ndirectory = \"~/isos\"\n", ["HOME": "/home/me", "PAWL_DIRECTORY": "/of/a/hook"])
        #expect(try get(in: setting).jobs.target.directory == "/home/me/isos")
        #expect(try get("-d", ".", in: setting).jobs.target.directory == ".")
        #expect(try get("-o", "-", in: setting).jobs.target.directory == nil)
        #expect(try get("-o", "name", in: setting).jobs.target.directory == nil)
    }

    @Test(
        arguments: [
            ("[get]\nretries = 5\nretris = 6\n", [:], "config.toml, line 3: “retris” is not an option"),
            ("port = 1\n\n[get]\njobs = [1]\n", [:], "config.toml, line 4: “jobs” takes one value"),
            (
                "port = 1\n[get]\nretries = 1\n\njobs = 700\n", [:],
                "config.toml, line 5: --jobs takes a number of files from 1 to 100"
            ),
            (
                "port = 1\n[gte]\nretries = 1\n", [:],
                "config.toml, line 2: “gte” is not an option that can be set here. Did you mean “get”?"
            ),
            ("get = 5\n", [:], "config.toml, line 1: “get” is a table"),
            ("[get]\nmax_speed = \"fast\"\n", [:], "config.toml, line 2: --max-speed takes"),
            ("[get]\nretries = -1\n", [:], "config.toml, line 2: "),
            ("[get]\nnetrc = \"yes\"\n", [:], "config.toml, line 2: “netrc” takes true or false"),
            ("[get]\ninsecure = true\n", [:], "config.toml, line 2: “insecure” is not an option that can be set"),
            ("[get\n", [:], "config.toml, line 1: this is not valid TOML"),
            ("", ["PAWL_RETRIES": "many"], "PAWL_RETRIES: "),
            ("", ["PAWL_QUIET": "maybe"], "PAWL_QUIET takes true or false"),
            ("", ["PAWL_PROGRESS": "loud"], "PAWL_PROGRESS: "),
        ] as [(String, [String: String], String)]
    )
    func `what is wrong is told with its place, and how to go on without it`(
        _ file: String, _ variables: [String: String], _ sentence: String
    ) throws {
        let setting = try Setting(file, variables)
        // What only the options say together is found when they are applied.
        let message =
            (try? CommandDefaults(for: ["get", Self.url], environment: setting.environment))?.problem?.message
            ?? message(["get", Self.url], in: setting)
        #expect(message.contains(sentence))
        #expect(message.contains("--no-config"))
        #expect(self.message(["get", Self.url, "--no-config"], in: setting).isEmpty)
    }

    @Test func `neither secrets nor options of one download have a default`() {
        for name in [
            "output", "user", "bearer", "header", "cookie", "insecure", "checksum", "json", "mirror-country",
            "password-file", "save-cookies",
        ] {
            #expect(!CommandDefaults.options.contains { $0.name == name }, "\(name)")
        }
    }

    @Test func `every error of a file is told, by line`() throws {
        let setting = try Setting(
            "retries = 1\n[gte]\na = 1\n[get]\nquiet = 3\nnetrc = true\nport = 1\njobs = [1]\nretries = 4\n")
        let path = try #require(ConfigurationFile.usualPath(environment: setting.environment))
        let file = try #require(try ConfigurationFile(path, CommandDefaults.schema))
        #expect(file.problems.map(\.key) == ["retries", "gte", "quiet", "port", "jobs"])
        #expect(file.problems.map(\.origin) == [1, 2, 5, 7, 8].map { .line($0, of: path) })
        #expect(file.entries.map(\.key.name).sorted() == ["netrc", "retries"])
        #expect(message(["get", Self.url], in: setting).contains("line 1"))
    }
}
