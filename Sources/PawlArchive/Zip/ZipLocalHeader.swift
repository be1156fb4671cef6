/// The local header of a member (APPNOTE 4.3.7), found to agree with the central directory, and where the member's
/// bytes are.
package struct ZipLocalHeader: Hashable, Sendable {
    /// The result of parsing the first bytes of a header.
    package enum Found: Hashable, Sendable {
        case header(ZipLocalHeader)
        /// The parser needs this many bytes from the header's beginning on.
        case needsMore(bytes: Int)
    }

    /// The length of a header without name and extra fields.
    package static let fixedLength = 30

    /// The range of the compressed bytes in the file.
    package let dataRange: Range<Int64>
    /// A data descriptor follows the bytes (4.3.9).
    package let hasDescriptor: Bool
    /// The date and time of DOS as they stand in the header: the last byte of an encrypted member's header may be
    /// checked against it.
    package let dosTime: UInt32
    let flags: UInt16
}

extension ZipEntry {
    /// Checks the local header against this entry (FAULTS Z05): programs that read an archive from its beginning see
    /// only the one, others only the other, and must not come to different files.
    ///
    /// - Parameter bytes: from ``headerOffset`` on, ``ZipLocalHeader/fixedLength`` at least.
    package func localHeader(_ bytes: ArraySlice<UInt8>) throws(ArchiveError) -> ZipLocalHeader.Found {
        guard bytes.count >= ZipLocalHeader.fixedLength else {
            return .needsMore(bytes: ZipLocalHeader.fixedLength + rawName.count)
        }
        var fields = ZipFields(bytes)
        guard fields.u32() == ZipSignature.localHeader else { throw .zipDamaged(path, "its local header is missing") }
        fields.skip(2)
        let local = LocalFields(&fields)
        let length = ZipLocalHeader.fixedLength + local.nameLength + local.extraLength
        let room = dataBound - headerOffset - Int64(length)
        guard room >= 0, compressedSize <= room else { throw .zipDamaged(path, "its data overlaps what follows") }
        guard bytes.count >= length else { return .needsMore(bytes: length) }

        let name = fields.bytes(local.nameLength)
        try check(local, name: name, extras: ZipExtras(fields.bytes(local.extraLength)))
        let start = headerOffset + Int64(length)
        return .header(
            ZipLocalHeader(
                dataRange: start..<start + compressedSize, hasDescriptor: local.hasDescriptor, dosTime: local.dosTime,
                flags: local.flags))
    }

    private func check(_ local: LocalFields, name: ArraySlice<UInt8>, extras: ZipExtras) throws(ArchiveError) {
        guard name == rawName else {
            throw .zipDamaged(path, "it has two names; the other is \(quoted(ZipName.cp437(name)))")
        }
        guard !extras.repeatsOne else { throw .zipDamaged(path, "an extra field occurs twice") }
        // The local header does not say on which system it was made.
        let text = ZipName.text(name, flags: local.flags, unicodePath: extras.unicodePath, host: host)
        guard text == path else { throw .zipDamaged(path, "it has two names") }

        // Whether and how it is encrypted: bits 0, 6 and 13.
        let meaning: UInt16 = 1 | 1 << 6 | 1 << 13
        guard local.flags & meaning == flags & meaning, try methodAgrees(local, extras) else {
            throw .zipDamaged(path, "its two headers disagree on how it is stored")
        }
        // Obscured by encryption of the central directory: nothing more to compare.
        guard flags & 1 << 13 == 0 else { return }
        guard local.crc32 == crc32 || (local.hasDescriptor && local.crc32 == 0) else {
            throw .zipDamaged(path, "it has two different checksums")
        }
        guard sizesAgree(local, extras.zip64) else { throw .zipDamaged(path, "its two headers have different sizes") }
    }

    private func methodAgrees(_ local: LocalFields, _ extras: ZipExtras) throws(ArchiveError) -> Bool {
        guard case .aes(let version, let strength) = encryption else { return local.method == method }
        guard local.method == ZipMethod.aes, let aes = extras.aes else { return false }
        var fields = ZipFields(aes)
        let localVersion = fields.u16()
        fields.skip(2)
        return localVersion == version && fields.u8() == strength && fields.u16() == method && fields.fits
    }

    /// A local header has the sizes, or with a data descriptor zeros; with zip64 they stand in the extra field, where
    /// “this field MUST include BOTH original and compressed file size fields” (4.5.3). Some that write to a pipe have
    /// the large form there and the small one in the directory, and the other way round: both are right (Info-ZIP unzip
    /// pull request 9).
    private func sizesAgree(_ local: LocalFields, _ zip64: ArraySlice<UInt8>?) -> Bool {
        var sizes = (UInt64(local.size), UInt64(local.compressedSize))
        if let zip64 {
            var fields = ZipFields(zip64)
            let long = (fields.u64(), fields.u64())
            if fields.fits {
                if !agrees(long.0, size, local) || !agrees(long.1, compressedSize, local) { return false }
                if local.size == .max { sizes.0 = long.0 }
                if local.compressedSize == .max { sizes.1 = long.1 }
            } else {
                // Only the one that is needed.
                var only = ZipFields(zip64)
                if local.size == .max, local.compressedSize != .max { sizes.0 = only.u64() }
                if local.compressedSize == .max, local.size != .max { sizes.1 = only.u64() }
                guard only.fits else { return false }
            }
        }
        return agrees(sizes.0, size, local) && agrees(sizes.1, compressedSize, local)
    }

    private func agrees(_ value: UInt64, _ known: Int64, _ local: LocalFields) -> Bool {
        Int64(exactly: value) == known || (value == 0 && local.hasDescriptor)
    }
}

/// The fixed part, after the version.
struct LocalFields {
    let flags: UInt16
    let method: UInt16
    let dosTime: UInt32
    let crc32: UInt32
    let compressedSize: UInt32
    let size: UInt32
    let nameLength: Int
    let extraLength: Int

    /// “Bit 3: … the fields crc-32, compressed size and uncompressed size are set to zero in the local header. The
    /// correct values are put in the data descriptor immediately following the compressed data.” (4.4.4)
    var hasDescriptor: Bool { flags & 1 << 3 != 0 }

    init(_ fields: inout ZipFields) {
        flags = fields.u16()
        method = fields.u16()
        dosTime = fields.u32()
        crc32 = fields.u32()
        compressedSize = fields.u32()
        size = fields.u32()
        nameLength = Int(fields.u16())
        extraLength = Int(fields.u16())
    }
}
