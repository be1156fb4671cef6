/// The program: one task runs the command, while the main thread, which has nothing else to do, waits for signals.
@main
enum EntryPoint {
    static func main() {
        Process.occupyStandardStreams()
        // Before any other thread begins, for threads inherit the mask.
        let signals = SignalWatch()
        let session = Session()
        Task.detached {
            let code = await session.run(Array(CommandLine.arguments.dropFirst()))
            Process.exit(code)
        }
        signals.wait(for: session.interruption)
    }
}
