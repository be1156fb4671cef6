extension Archive {
    /// Packs files, and directories with all that is beneath them, into a new archive: `.zip`, `.tar`, `.tar.gz`,
    /// `.tar.zst`, `.tar.xz` or `.tar.bz2`, as its name says.
    ///
    /// The archive is written to `PATH.part` beside it, made durable and renamed, so that `PATH` is whole whenever it
    /// is there; whatever ends it early leaves nothing behind. The memory needed does not depend on the size of files,
    /// only on their number, by some 100 bytes each.
    ///
    /// The same files give the same bytes: members are in the order of the bytes of their paths, and of the attributes
    /// only the time of modification, in whole seconds, and the permission to execute are kept. Symbolic links are
    /// packed as links. The times in a zip's headers are local, by the format's rule, so two machines have to agree on
    /// the time zone.
    ///
    /// - Parameters:
    ///   - files: paths as the archive will have them, without a leading `/` or `./`. A path with `..` in it, two that
    ///     would give one member, and what is neither file nor directory nor link are errors. Of `.` the contents are
    ///     packed.
    ///   - path: the archive to create. Its extension chooses the format; its directory must exist.
    ///   - options: how hard to compress, and what to do if the archive already exists.
    ///   - progress: told at each member and each block, on the thread that packs: it has to be quick.
    /// - Throws: ``ArchiveError``; `CancellationError` when the task is cancelled, which is looked at with each block
    ///   of 256 KiB.
    @discardableResult
    public static func pack(
        _ files: [String], to path: String, options: PackingOptions = PackingOptions(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) async throws -> PackingResult {
        try await OwnThread.run { cancellation in
            let format = try PackingFormat(path: path)
            try format.check(level: options.level)
            let place = try PackingPlace(path, format, ifExists: options.ifExists)
            defer { place.abandon() }
            var scan = PackingScan(format: format, output: place, cancellation: cancellation)
            let list = try scan.run(files)
            let (packed, archiveBytes) = try TextLocale.withUTF8 {
                let writer = try ArchiveWriter(format, level: options.level, to: place.begin(), path: path)
                let packed = try ArchivePacker.run(list, writer, cancellation, report: progress ?? { _ in })
                return (packed, writer.written)
            }
            try cancellation.check()
            let final = try place.finish()
            return PackingResult(
                path: final, members: list.items.count, files: list.files, bytes: packed.bytes,
                archiveBytes: archiveBytes)
        }
    }
}
