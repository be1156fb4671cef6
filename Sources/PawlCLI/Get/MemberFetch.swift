import Pawl
import PawlArchive
import PawlCore
import PawlJobs

/// Members of a remote zip archive, `pawl get --member`: its list first, then the ranges that hold them, then their unpacking.
struct MemberFetch {
    let get: ResolvedGet
    let wish: MemberWish
    let session: Session
    let display: GetDisplay
    let hooks: DownloadHooks?

    /// - Returns: nil where the server has only the whole archive, and that may be fetched.
    func run() async -> ExitCode? {
        guard var planned = get.downloads.first else { return .usage }
        do {
            var configuration = get.configuration
            configuration.hostMemoryPath = StateDirectory.file("hosts")
            let downloader = try Downloader.forThisProcess(configuration)
            let zip: RemoteZip
            do {
                zip = try await list(planned.request, downloader)
            } catch where canBeWhole(after: error) {
                // The name was meant for the member.
                guard planned.request.fileName == nil else { throw error }
                await display.remark("\(planned.shownURL) can be had only as a whole. It is fetched, and the members are unpacked.")
                return nil
            }
            let target = try MemberDownload.Target(
                of: zip, wish.patterns, unpacked: wish.directory, in: planned.request.directory, named: planned.request.fileName)
            planned.likelyName = target.path
            if wish.options.ifExists == .skip, try target.isTaken {
                await display.began(planned)
                await display.note(.skipped(.exists), of: planned)
                return await finish(
                    planned, .completed(.existing(target.path, byteCount: target.existingByteCount, finalURL: planned.shownURL)))
            }
            let members = try downloader.start(wish.patterns, of: zip, to: target, options: wish.options)
            await display.remark(MemberWords.selection(members, of: zip))
            return await finish(planned, try await fetch(planned, members, of: zip))
        } catch let error as DownloadError {
            return await finish(planned, .failed(error))
        } catch let error as ArchiveError {
            return await finish(planned, .archiveFailed(error))
        } catch {
            return await finish(planned, .stopped(session.interruption.cause, bytes: 0, total: nil))
        }
    }

    /// The server does not send parts, or the archive is one that has no list of its members.
    private func canBeWhole(after error: any Error) -> Bool {
        guard get.unpacking != nil else { return false }
        return (error as? DownloadError)?.code == .rangesNotSupported || (error as? ArchiveError)?.code == .notAnArchive
    }

    private func list(_ request: DownloadRequest, _ downloader: Downloader) async throws -> RemoteZip {
        let listing = Task { try await downloader.remoteZip(request) }
        session.interruption.onStop { listing.cancel() }
        return try await listing.value
    }

    private func fetch(_ planned: PlannedDownload, _ members: MemberDownload, of zip: RemoteZip) async throws -> GetEnding {
        await display.began(planned)
        session.interruption.onStop {
            // The result tells how it went.
            Task { _ = try? await members.download.pause() }
        }
        let ending = await SingleFetch(get: get, session: session, display: display, hooks: nil, unpacker: nil).watch(members.download, nil, planned)
        guard case .completed(let stretches) = ending else { return ending }
        await display.suspend(true)
        do {
            let result = try await unpack(members, of: zip, planned)
            return .completed(stretches.becoming(result.directory, byteCount: result.bytes))
        } catch is CancellationError {
            // All has come, and is unpacked by the same command later.
            return .stopped(session.interruption.cause, bytes: stretches.byteCount, total: stretches.byteCount)
        }
    }

    private func unpack(_ members: MemberDownload, of zip: RemoteZip, _ planned: PlannedDownload) async throws -> ExtractionResult {
        let work = work(on: zip.name, planned)
        var members = members
        var tries = PasswordTries(of: zip.name, session: session)
        while true {
            do {
                let settled = members
                return try await work.run { try await settled.result(progress: $0) }.value
            } catch {
                guard let password = try await tries.next(after: error, given: members.options.password) else { throw error }
                members.options.password = password
            }
        }
    }

    private func work(on name: String, _ planned: PlannedDownload) -> ArchiveWork {
        ArchiveWork(kind: .unpacking, name: name, session: session, writesJSON: get.writesJSON, isQuiet: get.isQuiet, id: planned.id)
    }

    private func finish(_ planned: PlannedDownload, _ ending: GetEnding) async -> ExitCode {
        let counted = await display.ended(planned, ending)
        await hooks?.ended(planned, counted)
        let failedHooks = await hooks?.finish() ?? 0
        let code = await display.finish(cause: session.interruption.cause).exitCode
        return code == .done && failedHooks > 0 ? .hookFailed : code
    }
}
