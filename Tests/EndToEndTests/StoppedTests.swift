import Foundation
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

extension EndToEnd {
    /// The program when it is told to stop, suspended, or left without a reader, descriptors or memory.
    @Suite("B7 Stopped", .serialized, .timeLimit(.minutes(3)))
    struct StoppedTests {
        private static let content = FileBehaviour.pattern(count: 120_000)

        /// A server that stalls after `count` bytes of each answer while the switch is off.
        private static func halting(after count: Int, _ isOpen: Switch) throws -> ScriptedWorld {
            let good = FileScript(FileBehaviour(content: content))
            var behaviour = FileBehaviour(content: content)
            behaviour.stall = .init(afterBytes: count)
            let halting = FileScript(behaviour)
            return try ScriptedWorld(content, in: TemporaryDirectory.memory) { request, connection in
                try (isOpen.isOn ? good : halting).answer(request, connection)
            }
        }

        private func untilStored(_ count: Int, _ world: ScriptedWorld) async throws {
            try await until("\(count) bytes are in the partial file") {
                let bytes = (try? Files.read(world.partial)) ?? []
                return bytes.count >= count && bytes[..<count] == world.content[..<count]
            }
        }

        // MARK: J11

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func `J11 a signal saves all bytes received, within two seconds, and the exit code names the signal`(
            _ number: Int32
        ) async throws {
            let isOpen = Switch()
            let world = try Self.halting(after: 50_000, isOpen)
            let program = try Program.start(world.get("-x", "1"))
            try await untilStored(50_000, world)
            program.send(signal: number)
            let output = try await program.output()
            // The program reports a slow disk after two seconds by its own clock, so a delay of the test does not
            // matter.
            #expect(!output.standardError.contains("too slow"), "\(output.standardError)")
            #expect(output.ending == .exited(128 + number), "\(output)")
            #expect(output.standardError.contains("resume"), "\(output.standardError)")
            try world.expectNothingFalse()
            #expect(world.record?.durable.count == 50_000)

            isOpen.set(true)
            let before = world.server.bodyBytesSent
            #expect(try await Program.run(world.get("-q", "-x", "1")).ending == ExitCode.done)
            try world.expectOnly()
            // The remaining bytes, and the overlap for comparison.
            #expect(world.server.bodyBytesSent - before <= 70_000 + 65_536)
        }

        @Test func `J11 a signal before the server's first answer ends the program at once and leaves nothing`()
            async throws
        {
            let world = try ScriptedWorld(Self.content) { _, connection in try connection.stall() }
            let program = try Program.start(world.get())
            try await until("it asks") { !world.server.requests.isEmpty }
            program.terminate()
            let output = try await program.output()
            #expect(output.ending == ExitCode.terminated)
            #expect(!output.standardError.contains("too slow"), "\(output.standardError)")
            #expect(world.names.isEmpty)
        }

        @Test func `J11 SIGPIPE, and SIGHUP under nohup, do not stop the download`() async throws {
            let isOpen = Switch()
            let world = try Self.halting(after: 50_000, isOpen)
            let program = try Subprocess(
                "sh", ["-c", "trap '' HUP; exec \"$@\"", "sh", Program.path.get()] + world.get("-q", "-x", "1"))
            try await untilStored(50_000, world)
            program.send(signal: SIGPIPE)
            program.send(signal: SIGHUP)
            try await Task.sleep(for: .milliseconds(100))
            #expect(program.running())
            isOpen.set(true)
            program.send(signal: SIGINT)
            let output = try await program.output()
            #expect(output.ending == ExitCode.interrupted)
            #expect(!output.standardError.contains("too slow"), "\(output.standardError)")
            #expect(world.record?.durable.count == 50_000)
        }

        @Test func `J11 when the reader of its events exits, the program saves and ends as if killed by SIGPIPE`()
            async throws
        {
            let world = try ScriptedWorld(Self.content) { $0.bytesPerSecond = 40_000 }
            let script = "\"$@\" | head -n 2 >/dev/null; exit ${PIPESTATUS[0]}"
            let output = try await Subprocess.run(
                "bash", ["-c", script, "bash", Program.path.get()] + world.get("--json", "-x", "1"))
            #expect(output.ending == .exited(141), "\(output)")
            try world.expectNothingFalse()
            #expect(world.record?.durable.isEmpty == false)
            #expect(!Files.exists(world.target))
        }

        @Test(arguments: ["-q", "--json", ""])
        func `J11 a program started without stdin, stdout and stderr writes no output into its files`(
            _ option: String
        ) async throws {
            let world = try ScriptedWorld(Self.content) { $0.bytesPerSecond = 400_000 }
            let options = option.isEmpty ? [] : [option]
            let output = try await Subprocess.run(
                "sh", ["-c", "exec \"$@\" <&- >&- 2>&-", "sh", Program.path.get()] + world.get(options))
            if option == "--json" {
                // The events have no reader.
                #expect(output.ending == .exited(141))
                try world.expectNothingFalse()
            } else {
                #expect(output.ending == ExitCode.done)
                try world.expectOnly()
            }
        }

        // MARK: J10

        @Test
        func
            `J10 a program suspended, cut off by the server and continued reopens all connections and counts at most one failure`()
            async throws
        {
            let isOpen = Switch()
            let content = Files.randomBytes(6 << 20)
            let good = FileScript(FileBehaviour(content: content))
            var behaviour = FileBehaviour(content: content)
            behaviour.bytesPerSecond = 200_000
            let slow = FileScript(behaviour)
            let answering = Locked(0)
            let world = try ScriptedWorld(content) { request, connection in
                if isOpen.isOn { return try good.answer(request, connection) }
                answering.withLock { $0 += 1 }
                defer { answering.withLock { $0 -= 1 } }
                Thread.detachNewThread {
                    while !isOpen.isOn { usleep(5000) }
                    // A suspended program reads nothing, so the script may be blocked in a send, which closing alone
                    // does not wake.
                    connection.interrupt()
                    connection.reset()
                }
                try slow.answer(request, connection)
            }
            let program = try Program.start(world.get("--json", "-x", "4"))
            try await until("several connections run") { answering.withLock { $0 } >= 3 }
            program.send(signal: SIGSTOP)
            isOpen.set(true)
            try await until("the server has cut them off") { answering.withLock { $0 } == 0 }
            try await Task.sleep(for: .milliseconds(300))
            program.send(signal: SIGCONT)
            let output = try await program.output()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly()
            let retries = try Program.events(in: output.standardOutput).filter { $0["event"] as? String == "retrying" }
            #expect(retries.allSatisfy { ($0["failures"] as? Int ?? 1) <= 1 }, "\(retries)")
        }

        // MARK: J12

        @Test func `J12 without enough memory the program ends, and the same command completes once there is enough`()
            async throws
        {
            var ended = 0
            for kilobytes in stride(from: 40_000, through: 160_000, by: 15_000) {
                let world = try ScriptedWorld(Self.content)
                let script = "ulimit -c 0 -v \(kilobytes); exec \"$@\""
                let program = try Subprocess(
                    "bash", ["-c", script, "bash", Program.path.get()] + world.get("-q"),
                    // The backtracer needs memory too, and outlives the program.
                    environment: ["SWIFT_BACKTRACE": "enable=no"])
                var ending = try? await program.wait(timeout: .seconds(2))
                // A library's thread pool waits for memory forever; count that as killed by the user.
                if ending == nil { ending = .signalled(9) }
                if ending != ExitCode.done { ended += 1 }
                try world.expectNothingFalse("\(kilobytes) KiB")
                if !Files.exists(world.target) {
                    let again = try await Program.run(world.get("-q"))
                    #expect(again.ending == ExitCode.done, "\(kilobytes) KiB: \(again.standardError)")
                }
                try world.expectOnly("\(kilobytes) KiB")
            }
            #expect(ended > 0, "there was always enough")
        }

        private static let counting = """

            import resource, subprocess, sys
            code = subprocess.call(sys.argv[1:])
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            sys.exit(code)
            """

        @Test func `J12 memory use does not grow with the file's size`() async throws {
            func most(_ count: Int) async throws -> Int {
                let block = FileBehaviour.pattern(count: 1 << 16)
                var content: [UInt8] = []
                content.reserveCapacity(count)
                while content.count < count { content += block }
                let world = try ScriptedWorld(content)
                // The system accounts memory to the process that waits, and a child's count starts at its parent's. The
                // test's own is too large for that.
                let output = try await Subprocess.run(
                    "python3", ["-c", Self.counting, Program.path.get()] + world.get("-q"))
                #expect(output.ending == ExitCode.done, "\(output.standardError)")
                return try #require(Int(output.standardOutput.prefix { $0 != "\n" }), "\(output)")
            }
            let small = try await most(8 << 20)
            let large = try await most(96 << 20)
            print("at most \(small) KiB for 8 MiB, \(large) KiB for 96 MiB")
            // Pawl's buffers (6 MiB), and the memory of sockets and the allocator.
            #expect(large < small + 16 * 1024, "\(small) and \(large) KiB")
        }
    }
}
