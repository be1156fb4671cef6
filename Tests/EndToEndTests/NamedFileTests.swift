import PawlTestKit
import Testing

extension EndToEnd {
    /// Credential files that a shell provides as pipes, such as `<(pass show netrc)`: each can be read only once.
    @Suite("Credentials from pipes", .serialized, .timeLimit(.minutes(3)))
    struct NamedFileTests {
        private static let content = Files.randomBytes(300_000)

        /// Runs Pawl with one more option, whose file is a pipe that delivers `text`.
        private func run(_ words: [String], _ option: String, _ text: String) async throws -> Subprocess.Output {
            let script = #"text=$1 option=$2; shift 2; exec "$0" "$@" "$option" <(printf '%s\n' "$text")"#
            return try await Subprocess.run("bash", ["-c", script, Program.path.get(), text, option] + words)
        }

        /// A list of two downloads, of which the first has a User-Agent of its own.
        private func list(_ world: World, _ place: RealServer.Place) throws -> String {
            let url = world.server.url(World.name, in: place)
            let list = world.directory.file("list")
            try Files.write("\(url)\n  out=a\n  user-agent=one\n\(url)\n  out=b\n".utf8, to: list)
            return list
        }

        private func expectBoth(_ output: Subprocess.Output, _ world: World) throws {
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            for name in ["a", "b"] {
                #expect(try Files.isEqual(world.directory.file(name), to: Self.content), "\(name)")
            }
        }

        @Test func `H18 a netrc file from a pipe logs in every download of a list`() async throws {
            let place = RealServer.Place.guarded(.basic)
            let world = try await World(places: [place], content: Self.content)
            let words = try ["get", "-q", "-d", world.directory.path, "-i", list(world, place)]
            try expectBoth(try await run(words, "--netrc-file", "machine 127.0.0.1 login user password secret"), world)
            try await world.server.stop()
        }

        @Test func `H18 a bearer token from a pipe reaches every download of a list or a Metalink`() async throws {
            let place = RealServer.Place.guarded(.bearer)
            let world = try await World(places: [place], content: Self.content)
            let words = try ["get", "-q", "-d", world.directory.path, "-i", list(world, place)]
            try expectBoth(try await run(words, "--bearer-file", "open-sesame"), world)

            let document = try await Metalinks(Self.content, pieceLength: 1 << 20).document(urls: [
                world.server.url(World.name, in: place)
            ])
            try world.server.put(document.utf8, at: "file.meta4")
            let described = [
                "get", "-q", "-d", world.directory.path, "--metalink", world.server.url("file.meta4", in: place),
            ]
            let output = try await run(described, "--bearer-file", "open-sesame")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expect(Self.content)
            try await world.server.stop()
        }
    }
}
