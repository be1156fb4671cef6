import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs
import PawlSystem

extension CleanCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let latest = LiveRuntime.wallClockSeconds - olderThan.components.seconds
        let all = try LeftFile.listed(in: directory, isRecursive: recursive)
        let files = all.filter { file in
            (file.isUseless || unfinished && !file.isUnknown) && file.isOurs && !file.isHeld && file.modified <= latest
        }
        guard !files.isEmpty else {
            let kept = unfinished ? 0 : all.count { !$0.isUseless && !$0.isUnknown && $0.isOurs && !$0.isHeld }
            let downloads = Self.count(kept, "unfinished download is", "unfinished downloads are")
            let rest = kept == 0 ? "." : "; \(downloads) kept. --unfinished removes them."
            session.say("Nothing to remove in “\(directory)”\(rest)")
            return .done
        }
        session.errors.write(LeftFileTable(files, now: LiveRuntime.wallClockSeconds).text(on: session.errors))
        if dryRun { return .done }
        if !yes {
            let question = "Remove \(Self.count(files)), \(ByteCount.text(files.bytes))? [y/N] "
            // Who answers has to see what is listed.
            switch session.errors.isTerminal
                ? PasswordPrompt.askOpenly(question, isStopped: { session.interruption.cause != nil }) : .unavailable
            {
            case .line(let answer) where ["y", "yes"].containsExactly(answer.lowercased()): break
            case .unavailable:
                throw UsageError("Cannot ask for confirmation: no terminal. --yes removes these files without asking.")
            case .interrupted: return session.interruption.cause?.exitCode ?? .interrupted
            case .line, .nothing:
                session.say("Nothing was removed.")
                return .done
            }
        }
        return remove(files, in: session)
    }

    private func remove(_ files: [LeftFile], in session: Session) -> ExitCode {
        var removed: [LeftFile] = []
        var code = ExitCode.done
        for file in files {
            do {
                if try file.removed() {
                    removed.append(file)
                } else {
                    session.warn(
                        "“\(file.path)” was kept: it is in use, has changed, or is not described by its journal.")
                }
            } catch {
                let failure = session.reportKnown(error) ?? .failure
                if code == .done { code = failure }
            }
        }
        session.say("Removed \(Self.count(removed)), \(ByteCount.text(removed.bytes)).")
        return code
    }

    private static func count(_ files: [LeftFile]) -> String {
        let directories = files.count(where: \.isUnpacking)
        let (ofFiles, ofDirectories) = (
            count(files.count - directories, "file", "files"), count(directories, "directory", "directories")
        )
        if directories == 0 { return ofFiles }
        return files.count == directories ? ofDirectories : "\(ofFiles) and \(ofDirectories)"
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

extension [LeftFile] {
    fileprivate var bytes: Int64 { reduce(0) { $0 &+ $1.bytes } }
}

extension LeftFile {
    /// Looks at a directory; nil if no run has unpacked in it.
    private init?(unpacking name: String, in directory: String) {
        self.init(kind: .unpacking, directory: directory, name: name, bytes: 0, modified: 0)
        guard let found = LeftUnpacking(path) else { return nil }
        (bytes, modified, isHeld) = (found.bytes, found.modified, found.isHeld)
    }

    fileprivate var isUnpacking: Bool { if case .unpacking = kind { true } else { false } }

    /// Removes it, unless it has changed since it was listed or a process holds it.
    ///
    /// - Returns: whether it is gone.
    fileprivate func removed() throws -> Bool {
        guard isUnpacking else { return try remove() }
        guard let found = LeftUnpacking(path), (found.bytes, found.modified) == (bytes, modified) else { return false }
        return try found.remove()
    }

    static func listed(in directory: String, isRecursive: Bool) throws(UsageError) -> [LeftFile] {
        do throws(StorageError) {
            return try all(in: directory, isRecursive: isRecursive) { LeftFile(unpacking: $0, in: $1) }
        } catch {
            let reason =
                switch error.reason {
                case .notFound: "there is no such directory"
                case .notADirectory: "it is not a directory; “pawl status” shows a single download"
                default: WholeFile.explanation(of: error)
                }
            throw UsageError("“\(directory)” cannot be listed: \(reason).")
        }
    }
}
