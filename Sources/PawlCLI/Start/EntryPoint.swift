import Pawl
import PawlAria2
import PawlCore
import PawlSystem

/// The program: one task runs the command, while the main thread, which has nothing else to do, waits for signals.
@main
enum EntryPoint {
    static func main() {
        Process.occupyStandardStreams()
        SystemCalls.spareAddressSpace()
        // Before any other thread begins: one that makes a file meanwhile, and those that inherit the mask of signals.
        POSIXStorage.learnUmask()
        let signals = SignalWatch()
        let session = Session()
        let words = Environment.arguments
        do throws(ThreadShortage) {
            try TaskThreads.begin()
        } catch {
            session.complain(DownloadError.tooFewThreads.text)
            Process.exit(ExitCode.tooFewThreads.rawValue)
        }
        guard !Aria2CommandLine.isMeant(by: words.first ?? "") else {
            Task.detached { Process.exit(await Aria2Program(session: session).run(words)) }
            signals.wait(for: session.interruption) { _ in Int32(Aria2Status.unfinished) }
        }
        Task.detached { Process.exit(await session.run(Array(words.dropFirst())).rawValue) }
        signals.wait(for: session.interruption) { $0.exitCode.rawValue }
    }
}
