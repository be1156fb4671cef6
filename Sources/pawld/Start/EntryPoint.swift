import Pawl
import PawlAria2
import PawlCore
import PawlSystem

/// Starts the service; under the name aria2c, by which `pawl` starts it, aria2's RPC server.
@main
enum EntryPoint {
    /// The exit status EX_OSERR of sysexits.h.
    private static let osErrorStatus: Int32 = 71

    static func main() async {
        SystemCalls.spareAddressSpace()
        POSIXStorage.learnUmask()
        // The runtime, NIO and the database start threads whether or not they can: they trap, or wait for ever.
        guard DetachedThread.canStart(4 * max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) + 16) else {
            Pawld.complain(
                "\(DownloadError.tooFewThreads.message) Raise the limit (ulimit -u or -v, TasksMax, pids.max).")
            exit(osErrorStatus)
        }
        let words = Environment.arguments
        exit(
            Aria2CommandLine.isMeant(by: words.first ?? "")
                ? await Aria2Service.run(words) : await Pawld.run(Array(words.dropFirst())))
    }
}
