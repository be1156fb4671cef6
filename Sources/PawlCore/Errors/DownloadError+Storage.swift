extension DownloadError {
    package static func unreadable(_ place: String) -> DownloadError {
        DownloadError(.notWritable, "No permission to read \(place).", recovery: .giveUp)
    }

    static let libcryptoPackages =
        "package libssl3 on Debian and Ubuntu, openssl-libs on Fedora, libcrypto3 on Alpine"

    package static func storage(_ error: StorageError, directory: String = "") -> DownloadError {
        if error.reason == .notFound, error.operation.isExactly(StorageError.creating), !directory.isEmpty {
            return DownloadError(
                .notWritable, "Cannot create a file in “\(directory)”.", remedies: [.chooseDirectory],
                recovery: .giveUp, underlying: "\(error.operation): \(error.reason)")
        }
        let place = directory.isEmpty ? "“\(error.name)”" : "“\(error.name)” in “\(directory)”"
        return storage(error.reason, place, cause: "\(error.operation): \(error.reason)")
    }

    /// - Parameters:
    ///   - place: the file, quoted.
    ///   - cause: the failed call or the other library's message.
    package static func storage(_ reason: StorageError.Reason, _ place: String, cause: String) -> DownloadError {
        let hitch = StorageHitch(reason, place, cause)
        return DownloadError(
            hitch.code, hitch.message, remedies: hitch.remedies, recovery: hitch.recovery, underlying: cause,
            facts: hitch.facts)
    }
}

/// Maps a failed storage operation to a download error.
private struct StorageHitch {
    let code: DownloadError.Code
    let message: String
    let remedies: [DownloadError.Remedy]
    let recovery: DownloadError.Recovery
    var facts = DownloadError.Facts()

    private init(
        _ code: DownloadError.Code, _ message: String, _ remedies: [DownloadError.Remedy],
        _ recovery: DownloadError.Recovery,
        _ facts: DownloadError.Facts = .init()
    ) {
        (self.code, self.message, self.remedies, self.recovery, self.facts) = (code, message, remedies, recovery, facts)
    }

    init(_ reason: StorageError.Reason, _ place: String, _ cause: String) {
        switch reason {
        case .noSpace, .tooLittleSpace, .belowFloor, .quotaExceeded: self.init(space: reason, place)
        case .readOnly, .permissionDenied, .notFound, .notADirectory, .nameTooLong, .fileTooLarge, .exists,
            .isADirectory,
            .symbolicLink, .notSupported:
            self.init(place: reason, place, cause)
        case .tooManyOpenFiles:
            self.init(
                .diskError, "Too many files are open in this process or on this system; \(place) could not be opened.",
                [.openFewerFiles],
                .retryAfter(nil))
        case .stale:
            self.init(
                .diskError,
                "The network file system no longer knows \(place): its server was restarted, or it was removed there "
                    + "(\(cause)). Data saved at the last checkpoint is kept.",
                [.tryLater], .retryAfter(nil))
        case .noDigests:
            self.init(
                .invalidArgument,
                "Checksums cannot be computed: this system has no libcrypto, which is part of OpenSSL "
                    + "(\(DownloadError.libcryptoPackages)).",
                [], .giveUp)
        case .digestRefused(let algorithm):
            self.init(
                .invalidArgument,
                "This system’s libcrypto refuses to compute \(algorithm.rawValue), perhaps because it is in FIPS mode."
                    + (algorithm.isSecure ? "" : " A SHA-256 checksum may work."), [], .giveUp)
        case .invalidSession(let fault):
            self.init(
                .journal,
                "The session \(place) \(fault). It was left unchanged. Restore a good copy, or move it away to start "
                    + "with an empty list. The files and their progress are not affected.", [], .giveUp)
        case .inputOutput, .busy, .crossDevice, .other:
            self.init(
                .diskError, "The disk failed at \(place) (\(cause)). Data saved at the last checkpoint is kept.",
                [.checkDisk],
                .retryAfter(nil))
        }
    }

    private init(space reason: StorageError.Reason, _ place: String) {
        switch reason {
        case .tooLittleSpace(let needed, let available):
            self.init(
                .diskFull, "\(place) needs \(ByteCount.text(needed)); free space: \(ByteCount.text(available)).",
                [.freeSpace, .chooseDirectory],
                .retryAfter(nil), .init(size: needed, limit: available))
        case .belowFloor(let available):
            self.init(
                .diskFull,
                "The disk is nearly full (\(ByteCount.text(available)) free), and the final size of \(place) is unknown.",
                [.freeSpace], .retryAfter(nil), .init(limit: available))
        case .quotaExceeded:
            self.init(
                .diskFull, "The disk quota is used up at \(place).", [.freeSpace], .retryAfter(nil))
        default:
            self.init(.diskFull, "The disk is full: no space for \(place).", [.freeSpace], .retryAfter(nil))
        }
    }

    private init(place reason: StorageError.Reason, _ place: String, _ cause: String) {
        switch reason {
        case .readOnly:
            self.init(
                .notWritable, "The file system of \(place) is read-only.", [.makeWritable, .chooseDirectory],
                .retryAfter(nil))
        case .permissionDenied:
            self.init(
                .notWritable, "No permission to write \(place).", [.makeWritable, .chooseDirectory], .retryAfter(nil))
        case .notFound: self.init(.notWritable, "There is no \(place).", [.createDirectory, .chooseDirectory], .giveUp)
        case .notADirectory: self.init(.notWritable, "\(place) is not a directory.", [.chooseDirectory], .giveUp)
        case .nameTooLong:
            self.init(.notWritable, "The name \(place) is too long for this file system.", [.chooseName], .giveUp)
        case .fileTooLarge:
            self.init(
                .notWritable, "\(place) would be larger than this file system or the process limit allows.",
                [.chooseDirectory],
                .giveUp)
        case .exists: self.init(.fileExists, "\(place) already exists.", [.chooseName], .giveUp)
        case .isADirectory, .symbolicLink:
            self.init(.fileExists, "\(place) exists and is not a regular file.", [.chooseName], .giveUp)
        default:
            self.init(
                .notWritable, "The file system of \(place) cannot do what a download needs (\(cause)).",
                [.chooseDirectory],
                .giveUp)
        }
    }
}
