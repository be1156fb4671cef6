import ArgumentParser
import Logging
import Pawl

/// `-v` and `-vv`: requests, answers and decisions as they happen. For every command that contacts a server.
struct VerboseOptions: RequestOptions {
    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help:
            "Show each request, response and decision on stderr, even with -q. -vv also shows connections and checkpoints."
    )
    var verbose: Int

    func apply(to configuration: inout Downloader.Configuration) {
        guard verbose > 0 else { return }
        let output = VerboseOutput(isDetailed: verbose > 1)
        configuration.logger = Logger(label: "pawl") { _ in VerboseLogHandler(output) }
    }
}
