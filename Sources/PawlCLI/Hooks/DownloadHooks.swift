import Pawl
import PawlCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `--on-complete`: the program that runs after each download of a run.
struct DownloadHooks: Sendable {
    private let runner: HookRunner
    private let workingDirectory: [UInt8]

    init(_ command: HookCommand, session: Session) {
        workingDirectory = Self.currentDirectory()
        let inherited = Environment.entries
        runner = HookRunner { facts in
            await ChildProcess.run(command, environment: facts.environment(inheriting: inherited))
        } failed: { facts, ending in
            let what = facts.paths["PAWL_FILE"].map { String(decoding: $0, as: UTF8.self) } ?? facts.variables["PAWL_URL"] ?? ""
            session.complain("The command of --on-complete \(ending.words), for “\(what)”.")
        }
    }

    /// - Parameter unpacking: how that went, where it was asked for.
    func ended(_ download: PlannedDownload, _ ending: GetEnding, _ unpacking: UnpackingEnding? = nil) async {
        // Neither completed nor failed.
        if case .stopped = unpacking { return }
        let facts = HookFacts(
            ending, id: String(download.id), url: download.shownURL, digest: download.request.digest, workingDirectory: workingDirectory)
        guard var facts else { return }
        if let unpacking { facts.add(unpacking, workingDirectory: workingDirectory) }
        await runner.begin(facts)
    }

    func finish() async -> Int { await runner.finish() }

    private static func currentDirectory() -> [UInt8] {
        guard let path = getcwd(nil, 0) else { return Array(".".utf8) }
        defer { free(path) }
        return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }
}
