import Pawl
import PawlArchive
import PawlCore
import PawlJobs

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `--extract`: unpacks what was downloaded, one archive after the other, while other downloads go on.
actor Unpacker {
    private let plan: UnpackingPlan
    private let get: ResolvedGet
    private let session: Session
    private let display: GetDisplay
    private let hooks: DownloadHooks?
    private var last: Task<UnpackingEnding, Never>?
    /// Ends what is under way.
    private var cancel: (@Sendable () -> Void)?
    private let halt = StopFlag()
    private var isStopped: Bool { halt.isUp }
    /// Directories that this run has unpacked into.
    private var made: Set<JobTarget> = []

    init?(_ get: ResolvedGet, session: Session, display: GetDisplay, hooks: DownloadHooks?) {
        guard let plan = get.unpacking else { return nil }
        self.plan = plan
        self.get = get
        self.session = session
        self.display = display
        self.hooks = hooks
    }

    /// Takes a download that has completed. Its hook runs when it is unpacked.
    @discardableResult
    func begin(_ download: PlannedDownload, _ result: DownloadResult) -> Task<UnpackingEnding, Never> {
        let previous = last
        let task = Task {
            _ = await previous?.value
            return await self.unpack(download, result)
        }
        last = task
        return task
    }

    /// Ends what is under way, and begins nothing any more.
    func stop() {
        halt.stop()
        cancel?()
    }

    /// Waits for all that were begun.
    func finish() async {
        while let task = last {
            _ = await task.value
            if last == task { return }
        }
    }

    // MARK: One archive

    private func unpack(_ download: PlannedDownload, _ result: DownloadResult) async -> UnpackingEnding {
        let planned = PlannedUnpacking(
            archive: result.path, directory: plan.target(of: result.path, isAlone: get.isAlone), isNamed: plan.directory != nil,
            flags: plan.flags)
        let latest = LatestProgress()
        let clock = ContinuousClock()
        let start = clock.now
        await display.beganUnpacking(download, planned, latest)
        let ending = await ending(of: planned, download, result, latest)
        // Nothing is begun between this and whoever waits for it.
        if get.failsFast, case .failed = ending { stop() }
        await display.unpacked(download, planned, ending, after: start.duration(to: clock.now))
        await hooks?.ended(download, .completed(result), ending)
        return ending
    }

    private func ending(
        of planned: PlannedUnpacking, _ download: PlannedDownload, _ result: DownloadResult, _ latest: LatestProgress
    ) async -> UnpackingEnding {
        do {
            try await check(result, against: download.request.digest)
            try makeDirectory(above: planned)
            let unpacked = try await extract(planned, download, result, latest)
            guard !unpacked.isSkipped else { return .unpacked(unpacked) }
            made.insert(JobTarget(path: planned.directory))
            if plan.removesArchive { try await remove(planned.archive, result, download.request.digest) }
            return .unpacked(unpacked)
        } catch let error as ArchiveError {
            return .failed(error)
        } catch let error as DownloadError {
            return .failed(ArchiveError(.unreadable, error.words))
        } catch {
            return .stopped
        }
    }

    /// A file that was there before was not read by the download.
    private func check(_ result: DownloadResult, against digest: Digest?) async throws {
        guard !isStopped else { throw CancellationError() }
        guard result.wasSkipped, !result.isVerified, let digest else { return }
        let actual = try await cancellable {
            try await OwnThread.run { flag in try Digest.compute(digest.algorithm, ofFileAt: result.path, isStopped: { flag.isUp }) }
        }
        guard let actual else { throw CancellationError() }
        guard actual == digest else {
            throw ArchiveError(
                .damaged,
                "\(quoted(result.path)) was there before and does not match the checksum, so it is not unpacked. Its \(digest.algorithm.rawValue) is \(actual.hex).")
        }
    }

    /// Work that ``stop()`` ends.
    private func cancellable<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        cancel = { task.cancel() }
        return try await task.value
    }

    /// Of several archives each has its own directory in the one that was named, which may be new.
    private func makeDirectory(above planned: PlannedUnpacking) throws(ArchiveError) {
        guard let directory = plan.directory, !get.isAlone else { return }
        guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
            throw ArchiveError(.notWritable, "The directory \(quoted(directory)) cannot be made: \(String(cString: strerror(errno))).")
        }
    }

    private func extract(
        _ planned: PlannedUnpacking, _ download: PlannedDownload, _ result: DownloadResult, _ latest: LatestProgress
    ) async throws -> ExtractionResult {
        var options = plan.options
        options.mark = UnpackedMark(of: planned.archive, patterns: options.patterns)
        options.ifExists = policy(download, result, planned, options.mark)
        if options.ifExists == .replace, made.contains(JobTarget(path: planned.directory)) {
            throw ArchiveError(
                .targetExists, "\(quoted(planned.directory)) was made from another archive in this run, and is not replaced. Unpack this one into another directory.")
        }
        let halt = halt
        var tries = PasswordTries(of: planned.archive, session: session) { halt.isUp }
        while true {
            guard !isStopped else { throw CancellationError() }
            let settled = options
            do {
                return try await cancellable { try await result.extract(into: planned.directory, options: settled) { latest.set($0) } }
            } catch {
                await display.suspend(true)
                let password: String?
                do {
                    password = try await tries.next(after: error, given: options.password)
                } catch let refusal {
                    await display.suspend(false)
                    throw refusal
                }
                await display.suspend(false)
                guard let password else { throw error }
                options.password = password
            }
        }
    }

    /// What this very archive was unpacked to before is left. Else the flag for files says it of directories too, but for one that is there
    /// and not known to be this archive's: to leave it would look as if the archive were unpacked.
    private func policy(
        _ download: PlannedDownload, _ result: DownloadResult, _ planned: PlannedUnpacking, _ mark: UnpackedMark?
    ) -> ExtractionOptions.IfExists {
        if result.wasSkipped, mark?.isSet(on: planned.directory) == true { return .skip }
        switch download.request.ifExists {
        case .replace: return .replace
        case .rename: return .rename
        case .fail, .skip: return .fail
        }
    }

    /// A file that was there before, and that no checksum shows to be what the URL names, may be somebody else's.
    private func remove(_ archive: String, _ result: DownloadResult, _ digest: Digest?) async throws(ArchiveError) {
        guard !result.wasSkipped || digest != nil else {
            await display.suspend(true)
            await display.remark("“\(archive)” was there before this run and is kept. Remove it by hand.")
            await display.suspend(false)
            return
        }
        guard unlink(archive) == 0 || errno == ENOENT else {
            throw ArchiveError(.notWritable, "\(quoted(archive)) was unpacked and cannot be removed: \(String(cString: strerror(errno))).")
        }
    }
}
