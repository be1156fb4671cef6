import Foundation
import PawlCore
import PawlTestKit
import Testing

extension EndToEnd {
    /// Names and arguments that are not UTF-8, and systems without `/proc`.
    @Suite("Arguments as bytes", .serialized, .timeLimit(.minutes(5)))
    struct ByteNameTests {
        private static let content = Files.randomBytes(400_000)
        /// Latin-1, GBK and Shift-JIS; the last has a byte of ASCII in it.
        static let names: [[UInt8]] = [
            Array("caf".utf8) + [0xE9] + Array(".bin".utf8), [0xC4, 0xE3, 0xBA, 0xC3], [0x83, 0x5C, 0x83, 0x74],
        ]

        private static func server(_ stall: FileBehaviour.Stall? = nil) throws -> ScriptedServer {
            var behaviour = FileBehaviour(content: content)
            behaviour.stall = stall
            return try ScriptedServer(file: behaviour)
        }

        @Test(arguments: names)
        func `M19 a name that is not UTF-8 is created, found again, and shown escaped`(_ bytes: [UInt8]) async throws {
            let server = try Self.server()
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let name = String(systemBytes: bytes)
            let get = ["get", server.url("/file.bin"), "-o", directory.file(name)]
            let output = try await Program.run(get)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.names(directory.path) == [name])
            #expect(try Files.isEqual(directory.file(name), to: Self.content))
            #expect(output.standardError.contains("\\x"), "\(output.standardError)")
            let again = try await Program.run(get)
            #expect(again.ending == ExitCode.fileExists, "\(again.standardError)")
            #expect(try Files.names(directory.path) == [name])
        }

        /// Short enough to be kept in memory until it has its name.
        @Test(arguments: names)
        func `M19 a small file with a name that is not UTF-8 is created, kept, renamed and replaced`(
            _ bytes: [UInt8]
        ) async throws {
            let ending: [UInt8] = bytes.contains(UInt8(ascii: ".")) ? Array(".bin".utf8) : []
            let renamed = bytes.dropLast(ending.count) + Array(" (1)".utf8) + ending
            let (old, new) = (Files.randomBytes(1000), Files.randomBytes(2000))
            let first = try ScriptedServer(file: FileBehaviour(content: old))
            let second = try ScriptedServer(file: FileBehaviour(content: new))
            defer {
                first.stop()
                second.stop()
            }
            let directory = try TemporaryDirectory()
            let (name, other) = (String(systemBytes: bytes), String(systemBytes: renamed))
            func get(_ server: ScriptedServer, _ words: String...) async throws -> Subprocess.Ending {
                let output = try await Program.run(
                    ["get", "-q", server.url("/f"), "-o", directory.file(name)] + words)
                return output.ending
            }
            #expect(try await get(first) == ExitCode.done)
            #expect(try await get(second) == ExitCode.fileExists)
            #expect(try Files.names(directory.path) == [name])
            #expect(try Files.isEqual(directory.file(name), to: old))
            #expect(try await get(second, "--if-exists", "rename") == ExitCode.done)
            #expect(try Set(Files.names(directory.path)) == [name, other])
            #expect(try Files.isEqual(directory.file(other), to: new))
            #expect(try await get(second, "--if-exists", "replace") == ExitCode.done)
            #expect(try Set(Files.names(directory.path)) == [name, other])
            #expect(try Files.isEqual(directory.file(name), to: new))
        }

        @Test func `M19 a download with a name that is not UTF-8 is listed and resumed, and survives JSON`()
            async throws
        {
            let isOpen = Switch()
            let server = try Self.server(.init(afterBytes: 200_000) { isOpen.isOn })
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let name = String(systemBytes: Self.names[0])
            // A second connection would fetch what the server holds back on the first.
            let get = ["get", "-q", "-x", "1", server.url("/file.bin"), "-o", directory.file(name)]
            let download = try Program.start(get)
            try await until("bytes are stored") {
                try #require(download.running(), "\(download.standardError)")
                return try await Program.status(of: directory.file(name)).map { $0.durableBytes > 0 } ?? false
            }
            download.interrupt()
            _ = try await download.wait(timeout: .seconds(60))
            isOpen.set(true)
            #expect(try Files.names(directory.path) == [name + ".part", name + ".pawl"])

            let table = try await Program.run("list", "--partial", directory.path)
            #expect(table.standardOutput.contains("caf\\xE9.bin"), "\(table.standardOutput) \(table.standardError)")
            let status = try await Program.run("status", directory.file(name), "--json")
            #expect(status.standardOutput.contains("caf\\udbff\\udee9.bin"), "\(status.standardOutput)")

            let output = try await Program.run(get + ["--json"])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardOutput.contains("caf\\udbff\\udee9.bin"), "\(output.standardOutput)")
            #expect(try Files.names(directory.path) == [name])
            #expect(try Files.isEqual(directory.file(name), to: Self.content))
        }

        @Test func `M19 the directory, the archive and the file of a credential may have any name`() async throws {
            let server = try Self.server()
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let place = directory.file(String(systemBytes: Self.names[1]))
            try Files.makeDirectory(place)
            let header = try await Program.run(
                ["get", "-q", "-d", place, "-o", "f", "--if-exists", "replace", server.url("/f"), "--header"]
                    + ["X-Name: " + String(systemBytes: Self.names[0])])
            #expect(header.ending == ExitCode.done, "\(header.standardError)")
            #expect(try Files.isEqual(place + "/f", to: Self.content))

            let archive = directory.file(String(systemBytes: Self.names[0]) + ".tar.gz")
            let packed = try await Program.run("pack", "-q", archive, place)
            #expect(packed.ending == ExitCode.done, "\(packed.standardError)")
            let unpacked = try await Program.run("extract", "-q", archive, "-d", directory.file("out"))
            #expect(unpacked.ending == ExitCode.done, "\(unpacked.standardError)")
        }

        #if os(Linux)
        /// Runs a program where `/proc` is empty.
        private static func runWithoutProc(_ program: String, _ words: [String]) async throws -> Subprocess.Output {
            let script = "mount -t tmpfs none /proc && exec \"$0\" \"$@\""
            return try await Subprocess.run(
                "unshare", ["--map-root-user", "--mount", "sh", "-c", script, program] + words)
        }

        private static func canHideProc() async -> Bool {
            (try? await runWithoutProc("true", []))?.ending == .exited(0)
        }

        @Test(.enabled("no mount namespaces") { await canHideProc() })
        func `M20 without /proc the program has its arguments and downloads`() async throws {
            let server = try Self.server()
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let target = directory.file("file.bin")
            let output = try await Self.runWithoutProc(
                Program.path.get(), ["get", "-q", server.url("/file.bin"), "-o", target])
            #expect(output.ending == ExitCode.done, "\(output.ending) \(output.standardError)")
            #expect(try Files.isEqual(target, to: Self.content))
            let version = try await Self.runWithoutProc(Program.path.get(), ["--version"])
            #expect(version.ending == ExitCode.done && version.standardOutput.hasPrefix("pawl "))
        }
        #endif
    }
}
