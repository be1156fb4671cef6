package import Pawl
package import PawlArchive
package import PawlCore
import PawlEngine
import PawlSystem

/// Inspects, unpacks and removes archives through `PawlArchive`.
package struct LiveArchives: JobArchivePort {
    /// Returns the password for an archive that needs one, or another one than the last; receives the last one and what
    /// was wrong with it. Nil gives up.
    package typealias Password =
        @Sendable (_ archive: String, _ error: ArchiveError, _ given: String?) async throws -> String?

    private let secrets: SecretReader
    private let followsLinks: Bool
    private let password: Password

    /// - Parameter followsLinks: false refuses a symbolic link in the path of an archive or of the directory to unpack
    ///   into, at every step anew: what was looked at when the job came may have been replaced since.
    package init(
        _ secrets: SecretReader, followsLinks: Bool = true, password: @escaping Password = { _, _, _ in nil }
    ) {
        self.secrets = secrets
        self.followsLinks = followsLinks
        self.password = password
    }

    // MARK: Inspecting

    package func inspect(
        _ id: JobFileID, _ archive: ArchiveToUnpack, digest: Digest?,
        _ ended: @escaping @Sendable (JobArchiveEnd<Inspection>) -> Void
    ) -> any JobWork {
        TaskWork {
            do {
                let isUnchanged = archive.fetched.isUnchanged(mark(archive.fetched.path))
                let matches = isUnchanged ? try await Self.matches(archive.fetched.path, digest) : nil
                let directory = archive.directory
                let isUnpacked =
                    mark(archive.fetched.path, archive.patterns)?.isSet(on: directory, followsLinks: followsLinks)
                    ?? false
                let target = FileTarget(path: directory)
                ended(
                    .done(
                        Inspection(
                            matchesDigest: matches, directory: target, path: directory, isUnpacked: isUnpacked,
                            isUnchanged: isUnchanged, identity: FileIdentity(path: directory))))
            } catch {
                ended(JobFailure(error).map { .failed($0) } ?? .stopped)
            }
        }
    }

    private func mark(_ archive: String, _ patterns: [String]? = nil) -> UnpackedMark? {
        UnpackedMark(of: archive, patterns: patterns, followsLinks: followsLinks)
    }

    private static func matches(_ path: String, _ digest: Digest?) async throws -> Bool? {
        guard let digest else { return nil }
        let actual = try await OwnThread.run { flag in
            try Digest.compute(digest.algorithm, ofFileAt: path, isStopped: { flag.isUp })
        }
        guard let actual else { throw CancellationError() }
        return actual == digest
    }

    // MARK: Unpacking

    package func unpack(
        _ id: JobFileID, _ archive: ArchiveToUnpack, ifExists: ExtractionOptions.IfExists,
        progress: @escaping @Sendable (ArchiveProgress) -> Void,
        _ ended: @escaping @Sendable (JobArchiveEnd<UnpackedFile>) -> Void
    ) -> any JobWork {
        TaskWork {
            do {
                let result = try await extract(archive, ifExists, progress)
                let (target, identity) = (FileTarget(path: result.directory), FileIdentity(path: result.directory))
                ended(.done(UnpackedFile(target: target, result: result, identity: identity)))
            } catch {
                ended(JobFailure(error).map { .failed($0) } ?? .stopped)
            }
        }
    }

    private func extract(
        _ archive: ArchiveToUnpack, _ ifExists: ExtractionOptions.IfExists,
        _ progress: @escaping @Sendable (ArchiveProgress) -> Void
    ) async throws -> ExtractionResult {
        let unpacking = archive.file.spec.unpacking ?? Unpacking()
        var options = try unpacking.options(members: archive.file.spec.members, secrets)
        options.mark = mark(archive.fetched.path, options.patterns)
        options.ifExists = ifExists
        options.followsDirectoryLinks = followsLinks
        if let directory = unpacking.directory, !archive.file.isAlone { try makeDirectory(directory) }
        let source = Archive(archive.fetched.path)
        while true {
            try Task.checkCancellation()
            do {
                return try await source.extract(into: archive.directory, options: options, progress: progress)
            } catch let error as ArchiveError where [.passwordNeeded, .wrongPassword].contains(error.code) {
                guard let next = try await password(archive.fetched.path, error, options.password) else { throw error }
                options.password = next
            }
        }
    }

    /// Creates the directory to unpack into. Several archives each get their own in the named one, which may be new.
    private func makeDirectory(_ path: String) throws(ArchiveError) {
        if let entry = DirectoryEntry(path, followsLinks: followsLinks),
            mkdirat(entry.directory, entry.name, 0o777) == 0 || errno == EEXIST
        {
            return
        }
        throw ArchiveError(
            .notWritable, "The directory \(quoted(path)) cannot be created: \(SystemCalls.text(of: errno)).")
    }

    // MARK: Removing

    package func remove(_ fetched: FetchedFile, _ ended: @escaping @Sendable (Result<Void, JobFailure>) -> Void) {
        ended(Result { () throws(ArchiveError) in try remove(fetched) }.mapError { .archive($0) })
    }

    /// Removes the archive, if it is still the file that was fetched. One that is gone is removed.
    private func remove(_ fetched: FetchedFile) throws(ArchiveError) {
        // One directory for the look and for the removal, whatever the path has come to mean.
        if let entry = DirectoryEntry(fetched.path, followsLinks: followsLinks) {
            guard entry.status() == nil || fetched.isUnchanged(UnpackedMark(of: entry, patterns: nil)) else {
                throw ArchiveError(
                    .changed, "\(quoted(fetched.path)) was changed or replaced after it was unpacked, so it is kept.")
            }
            if entry.remove() { return }
        } else if errno == ENOENT {
            return
        }
        throw ArchiveError(
            .notWritable,
            "\(quoted(fetched.path)) was unpacked and cannot be removed: \(SystemCalls.text(of: errno)).")
    }
}

extension FetchedFile {
    /// Whether the file that has the name is the one that was fetched.
    fileprivate func isUnchanged(_ found: UnpackedMark?) -> Bool { mark == nil || mark == found }
}

extension ArchiveToUnpack {
    var patterns: [String]? { file.spec.members.isEmpty ? nil : file.spec.members }

    /// The directory to unpack into, as its job spells it.
    var directory: String {
        Unpacking.target(of: fetched.path, in: file.spec.unpacking?.directory, isAlone: file.isAlone)
    }
}

extension Unpacking {
    /// Returns the directory that an archive is unpacked into; several archives each get one of their own.
    ///
    /// - Parameter directory: the directory asked for; nil for one beside each archive, by its name.
    package static func target(of archive: String, in directory: String?, isAlone: Bool) -> String {
        let own = Archive(archive).defaultDirectory
        guard let directory else { return own }
        guard !isAlone else { return directory }
        let name = own.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(own[own.utf8.index(after: $0)...]) } ?? own
        return directory.ends(with: "/") ? directory + name : directory + "/" + name
    }
}
