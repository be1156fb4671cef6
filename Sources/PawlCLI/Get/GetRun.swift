import Pawl
import PawlCore

/// The downloads of a command by the library, watched, and stopped when the program is told to stop.
struct GetRun {
    let get: ResolvedGet
    let session: Session

    func run() async -> ExitCode {
        let display = GetDisplay(get, makeReporter())
        if !get.isAlone { get.verbose?.namesDownloads() }
        defer { get.verbose?.release() }
        for warning in get.warnings {
            session.complain(warning)
            if get.writesJSON { _ = session.write(GetEvents.warning(warning).encoded + "\n") }
        }
        for remark in get.remarks { await display.remark(remark) }
        let hooks = get.hook.map { DownloadHooks($0, session: session) }
        if let members = get.members {
            if let code = await MemberFetch(get: get, wish: members, session: session, display: display, hooks: hooks).run() { return code }
        }
        let unpacker = Unpacker(get, session: session, display: display, hooks: hooks)
        do throws(DownloadError) {
            if get.isAlone {
                try await SingleFetch(get: get, session: session, display: display, hooks: hooks, unpacker: unpacker).run()
            } else {
                try await QueueFetch(get: get, session: session, display: display, hooks: hooks, unpacker: unpacker).run()
            }
        } catch {
            return session.report(error)
        }
        let failedHooks = await hooks?.finish() ?? 0
        let code = await display.finish(cause: session.interruption.cause).exitCode
        return code == .done && failedHooks > 0 ? .hookFailed : code
    }

    private func makeReporter() -> any GetReporter {
        let words = GetWords(get: get, locale: Locale.current, command: CommandLine.arguments)
        if get.writesJSON {
            return JSONReporter(words: words, output: session.output, errors: session.errors, interruption: session.interruption)
        }
        if get.isQuiet { return QuietReporter(words: words, errors: session.errors) }
        guard Terminal.canRedraw else { return PlainReporter(words: words, errors: session.errors) }
        return TerminalReporter(
            words: words, style: DisplayStyle(environment: Environment.value), errors: session.errors)
    }
}
