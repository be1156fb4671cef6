import Pawl
package import PawlArchive
package import PawlCore
import PawlEngine

/// Downloads members of a remote zip archive, and only those, and unpacks them.
struct LiveMembers: Sendable {
    let downloader: Downloader
    let secrets: SecretReader
    let password: LiveArchives.Password

    /// - Throws: `JobFailure` where members cannot be had alone.
    func fetch(_ file: JobFile, _ work: DownloadWork) async throws -> FetchedFile {
        let request = try file.spec.request(secrets)
        let zip = try await list(request, work)
        let spec = file.spec
        let target = try MemberDownload.Target(
            of: zip, spec.members, unpacked: spec.unpacking?.directory, in: spec.directory, named: spec.fileName)
        var options = try (spec.unpacking ?? Unpacking()).options(members: [], secrets)
        options.ifExists = ExtractionOptions.IfExists(spec.options.existingFilePolicy)
        if options.ifExists == .skip, try target.isTaken(followsLinks: downloader.followsDirectoryLinks) {
            work.tellExisting()
            return FetchedFile(members: .existing(target.path, byteCount: target.existingByteCount, finalURL: zip.url))
        }
        let members = try downloader.start(spec.members, of: zip, to: target, options: options)
        work.tell(
            ChosenMembers(
                archive: zip.name, target: target.path, count: members.members.count, totalCount: zip.members.count,
                byteCount: members.byteCount,
                archiveLength: zip.length))
        let stretches = try await work.watch(members.download)
        let result = try await unpack(members, of: zip, work)
        return FetchedFile(members: stretches.becoming(result.directory, byteCount: result.bytes))
    }

    private func unpack(
        _ members: MemberDownload, of zip: RemoteZip, _ work: DownloadWork
    ) async throws -> ExtractionResult {
        var members = members
        work.tell(zip.name, ArchiveProgress())
        while true {
            do {
                return try await members.result { work.tell(zip.name, $0) }
            } catch let error as ArchiveError where [.passwordNeeded, .wrongPassword].contains(error.code) {
                guard let next = try await password(zip.name, error, members.options.password) else { throw error }
                members.options.password = next
            }
        }
    }

    /// - Throws: `JobFailure` where the server does not send parts, or the archive has no list of its members.
    private func list(_ request: DownloadRequest, _ work: DownloadWork) async throws -> RemoteZip {
        do {
            return try await downloader.remoteZip(request) { work.passOn($0) }
        } catch let error as DownloadError where error.code == .rangesNotSupported {
            throw JobFailure.download(error)
        } catch let error as ArchiveError where error.code == .notAnArchive {
            throw JobFailure.archive(error)
        }
    }
}

extension MemberDownload.Target {
    /// Chooses the target: a single named member becomes a file; several, or the matches of a pattern, become a
    /// directory.
    ///
    /// - Parameters:
    ///   - unpacked: a directory that was named for what is unpacked.
    ///   - name: was given for the result.
    package init(
        of zip: RemoteZip, _ patterns: [String], unpacked: String?, in directory: String, named name: String?
    ) throws(ArchiveError) {
        if let unpacked {
            self = .directory(unpacked)
            return
        }
        let chosen = try zip.members(matching: patterns)
        if chosen.count == 1, chosen[0].kind == .file, chosen[0].isNamed(by: patterns) {
            self = .file(FileTarget.path(in: directory, name ?? FileName.sanitize(chosen[0].lastComponent)))
        } else if let name {
            self = .directory(FileTarget.path(in: directory, name))
        } else {
            self = .directory(Archive(FileTarget.path(in: directory, zip.name)).defaultDirectory)
        }
    }
}

extension ArchiveMember {
    /// Returns whether the only pattern is the member's own name, not a wildcard or the directory it is in.
    fileprivate func isNamed(by patterns: [String]) -> Bool {
        guard patterns.count == 1, let pattern = patterns.first else { return false }
        var name = pattern.utf8[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        return name.elementsEqual(pathForPatterns.utf8)
    }

    /// The last component of the path, by bytes, as a combining mark makes one `Character` with the slash before it.
    fileprivate var lastComponent: String {
        String(decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }
}

extension ExtractionOptions.IfExists {
    package init(_ policy: ExistingFilePolicy) {
        switch policy {
        case .fail: self = .fail
        case .skip: self = .skip
        case .rename: self = .rename
        case .replace: self = .replace
        }
    }
}

extension FetchedFile {
    fileprivate init(members result: DownloadResult) {
        self.init(
            target: FileTarget(path: result.path), result: result, identity: FileIdentity(path: result.path))
    }
}
