import ArgumentParser
import Logging
import Pawl

/// `-v` and `-vv`: requests, answers and decisions as they happen. For every command that contacts a server.
struct VerboseOptions: RequestOptions {
    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: "Show each request, answer and decision on stderr, also with -q; -vv shows connections and checkpoints too.")
    var verbose: Int

    func apply(to configuration: inout Downloader.Configuration) {
        guard verbose > 0 else { return }
        let output = VerboseOutput(isDetailed: verbose > 1)
        configuration.logger = Logger(label: "pawl") { _ in VerboseLogHandler(output) }
    }
}
