import PawlAria2
import PawlCore
import PawlJobs
import Testing

@Suite struct `Command line of aria2c` {
    private func line(_ words: String...) throws(Aria2CommandLine.Problem) -> Aria2CommandLine {
        try Aria2CommandLine(words, home: "/home/me")
    }

    @Test func `options stand anywhere, and what is none is a URI`() throws {
        let line = try line("http://a/x", "-x4", "--split", "8", "--out=name", "-d", "/d", "http://b/x", "--", "-q")
        #expect(line.options.json == ["dir": "/d", "max-connection-per-server": "4", "out": "name", "split": "8"])
        #expect(line.arguments == ["http://a/x", "http://b/x", "-q"])
    }

    /// A flag's value may be joined, so no letter can follow one that is a flag.
    @Test func `a letter may have its value joined or behind it`() throws {
        #expect(try line("-c", "-ctrue", "-d/d", "-d", "/e").options.json == ["continue": "true", "dir": "/e"])
        #expect(try line("-vx2").options.json == ["max-connection-per-server": "2", "version": ""])
        #expect(throws: Aria2CommandLine.Problem.self) { try line("-cZ") }
        #expect(try line("-").arguments == ["-"])
    }

    @Test func `a flag is true by itself, and its value is never the next word`() throws {
        let line = try line("--continue", "false", "--remote-time=false", "-V", "x")
        #expect(line.options.json == ["check-integrity": "true", "continue": "true", "remote-time": "false"])
        #expect(line.arguments == ["false", "x"])
        #expect(try self.line("--show-console-readout", "false").options.json == ["show-console-readout": "false"])
    }

    @Test func `a name may be as short as it is unique`() throws {
        #expect(try line("--allow-o").options.json == ["allow-overwrite": "true"])
        #expect(
            throws: Aria2CommandLine.Problem.ambiguous("--allow", ["allow-overwrite", "allow-piece-length-change"])
        ) { try line("--allow") }
    }

    @Test func `what may be given several times is, and of the rest the last holds`() throws {
        let line = try line("--header=A: 1", "--header", "B: 2", "-s1", "-s2")
        #expect(line.options.lines("header") == ["A: 1", "B: 2"])
        #expect(line.options["split"] == "2")
    }

    @Test(
        arguments: [
            (["--bogus"], Aria2CommandLine.Problem.unknown("--bogus")),
            (["-x"], .lacksValue("max-connection-per-server")), (["-w"], .unknown("-w")),
            (["--out"], .lacksValue("out")), (["--version=1"], .takesNoValue("version")), (["--"], nil),
            (["--=x"], .unknown("--")),
        ] as [([String], Aria2CommandLine.Problem?)])
    func `mistakes are told`(_ words: [String], _ problem: Aria2CommandLine.Problem?) {
        let told: Aria2CommandLine.Problem?
        do {
            _ = try Aria2CommandLine(words, home: "")
            told = nil
        } catch {
            told = error
        }
        #expect(told == problem)
    }

    @Test func `a value that is refused is not repeated`() {
        let problem = #expect(throws: Aria2CommandLine.Problem.self) { try line("--checksum=secret") }
        #expect(problem?.message.contains("secret") == false)
        #expect(problem?.message.contains("--checksum") == true)
        #expect(problem?.message.contains("sha-256") == true)
    }

    @Test func `paths have the user's directory`() throws {
        let line = try line("--dir=${HOME}/d${HOME}", "--header=${HOME}")
        #expect(line.options.json == ["dir": "/home/me/d/home/me", "header": "${HOME}"])
    }

    @Test func `each letter is one of an option, and options that take a value say so`() {
        let letters = Aria2Option.all.compactMap(\.letter)
        #expect(Set(letters).count == letters.count && letters.count == 28)
        #expect(Aria2Option.named("quiet").argument == .optional)
        #expect(Aria2Option.named("version").argument == .none)
        #expect(Aria2Option.named("dir").argument == .required)
    }
}

@Suite struct `Configuration of aria2` {
    @Test func `lines name options, and what aria2 does not have is told with its line`() throws {
        let file = try Aria2Configuration(
            parsing: "# comment\ndir = ${HOME}/d \r\n\nsplit=3\nnonsense=1\ncontinue\n=x\n #no=comment\n", home: "/h")
        #expect(file.options.json == ["continue": "true", "dir": "/h/d", "split": "3"])
        #expect(file.unknown.map { "\($0.line) \($0.name)" } == ["5 nonsense", "8 #no"])
    }

    @Test func `a wrong value is told with its line`() {
        let problem = #expect(throws: Aria2Configuration.Problem.self) {
            try Aria2Configuration(parsing: "\nsplit=none", home: "")
        }
        #expect(problem?.line == 2)
        #expect(problem?.message.contains("--split") == true)
    }

    @Test(arguments: [
        (nil, true, "/h/.aria2/aria2.conf"), (nil, false, "/h/.config/aria2/aria2.conf"),
        ("/x", false, "/x/aria2/aria2.conf"), ("x", false, "/h/.config/aria2/aria2.conf"),
    ])
    func `it is where aria2 looks for it`(_ variable: String?, _ hasOld: Bool, _ path: String) {
        #expect(
            Aria2Configuration.usualPath(
                environment: { $0 == "XDG_CONFIG_HOME" ? variable : nil }, home: "/h", isThere: { _ in hasOld }) == path
        )
    }
}
