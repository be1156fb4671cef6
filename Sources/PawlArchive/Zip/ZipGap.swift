/// Checks of the bytes between the members of an archive (FAULTS Z05).
extension ZipEntry {
    /// The longest data descriptor: a signature, a checksum and two sizes of 64 bits.
    package static let maximumDescriptorSize = 24

    /// The length of the data descriptor that follows the member's bytes, found to agree with the directory (APPNOTE
    /// 4.3.9). “Although not originally assigned a signature, the value 0x08074b50 has commonly been adopted”; and its
    /// sizes have 32 bits or 64, which no field says for sure (madler/unzip pull request 9): so it is whichever of the
    /// four forms has the right numbers.
    ///
    /// - Parameter bytes: those behind the member's, up to ``dataBound``, ``maximumDescriptorSize`` at most.
    package func descriptorLength(_ bytes: ArraySlice<UInt8>) throws(ArchiveError) -> Int {
        for (isSigned, isLong) in [(true, true), (true, false), (false, true), (false, false)] {
            var fields = ZipFields(bytes)
            if isSigned { guard fields.u32() == ZipSignature.dataDescriptor else { continue } }
            let crc = fields.u32()
            let compressed = isLong ? fields.u64() : UInt64(fields.u32())
            let unpacked = isLong ? fields.u64() : UInt64(fields.u32())
            guard fields.fits, compressed == UInt64(compressedSize), unpacked == UInt64(size) else { continue }
            // AE-2 has no checksum; some write the true one here all the same.
            guard crc == crc32 || encryption?.isAES == true else { continue }
            return bytes.count - fields.count
        }
        throw .zipDamaged(path, "the descriptor after its data is missing or differs")
    }
}

extension ZipEntry.Encryption {
    var isAES: Bool {
        if case .aes = self { true } else { false }
    }
}

package enum ZipGap {
    /// Whether bytes that belong to no member hold what a program that looks for members there would take for one, or
    /// for the end of another archive. Bytes without that are harmless: programs leave holes when they change an
    /// archive, and self-extracting ones begin with code.
    ///
    /// - Parameters:
    ///   - bytes: those of the gap, and ``lookahead`` more where the file goes on: a header may begin in the gap and
    ///     use what follows.
    ///   - limit: where the gap ends; what begins there or behind it belongs to somebody.
    package static func holdsRecord(_ bytes: ArraySlice<UInt8>, before limit: Int? = nil) -> Bool {
        let limit = min(limit ?? bytes.endIndex, bytes.endIndex)
        var index = bytes.startIndex
        while index < limit, let next = bytes[index..<limit].firstIndex(of: 0x50), next <= bytes.endIndex - 4 {
            index = next + 1
            guard bytes[next + 1] == 0x4B else { continue }
            if isLocalHeader(bytes[next...]) || isEnd(bytes[next...]) { return true }
        }
        return false
    }

    /// The number of bytes examined from where something begins.
    package static let lookahead = ZipLocalHeader.fixedLength

    /// Returns whether a local header begins here. Code that knows zip holds the signature as well; a header also has a
    /// version, a method and a name that make sense.
    private static func isLocalHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
        var fields = ZipFields(bytes)
        guard fields.u32() == ZipSignature.localHeader else { return false }
        let version = fields.u16() & 0xFF
        let local = LocalFields(&fields)
        let isMethod = ZipMethod.isKnown(local.method) || local.method < 20 || (92...99).contains(local.method)
        return fields.fits && version <= 63 && isMethod && local.nameLength > 0
    }

    private static func isEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
        var fields = ZipFields(bytes)
        guard fields.u32() == ZipSignature.end else { return false }
        let disks = fields.u32()
        let entriesOnDisk = fields.u16()
        return fields.fits && disks == 0 && entriesOnDisk == fields.u16() && fields.fits
    }
}
