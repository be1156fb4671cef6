extension ZipEntry {
    /// Takes one header off the directory.
    init(takingFrom rest: inout ArraySlice<UInt8>, end: ZipEnd) throws(ArchiveError) {
        var fields = ZipFields(rest.dropFirst(4))
        let madeBy = fields.u16()
        fields.skip(2)
        flags = fields.u16()
        method = fields.u16()
        let time = fields.u16()
        let date = fields.u16()
        dosTime = UInt32(date) << 16 | UInt32(time)
        crc32 = fields.u32()
        let shortCompressed = fields.u32()
        let shortSize = fields.u32()
        let nameLength = Int(fields.u16())
        let extraLength = Int(fields.u16())
        let commentLength = Int(fields.u16())
        let shortDisk = fields.u16()
        fields.skip(2)
        let attributes = fields.u32()
        let shortOffset = fields.u32()
        rawName = fields.bytes(nameLength)
        let extras = ZipExtras(fields.bytes(extraLength))
        fields.skip(commentLength)
        guard fields.fits else { throw .zipDamaged("its list of members ends within an entry") }
        rest = fields.rest

        host = UInt8(truncatingIfNeeded: madeBy >> 8)
        let name = ZipName.text(rawName, flags: flags, unicodePath: extras.unicodePath, host: host)
        path = name ?? ZipName.cp437(rawName)
        guard name != nil else {
            throw .zipDamaged(path, "its name is marked as UTF-8 but is not, or it has two different names")
        }
        guard !extras.repeatsOne else { throw .zipDamaged(path, "an extra field occurs twice") }

        let numbers = try Zip64Numbers(
            size: shortSize, compressed: shortCompressed, offset: shortOffset, disk: shortDisk, zip64: extras.zip64,
            of: path)
        guard numbers.disk == 0 else { throw .zipUnsupported(path, "it is on another disk of an archive on several") }
        size = numbers.size
        compressedSize = numbers.compressed
        (headerOffset, dataBound) = (0, 0)
        (modified, isModifiedLocal) = (extras.modified, false)
        (kind, isExecutable) = (.file, false)
        (encryption, obstacle) = (nil, nil)
        guard numbers.offset <= end.directoryStart - end.prefixLength else {
            throw .zipDamaged(path, "its position is impossible")
        }
        headerOffset = numbers.offset + end.prefixLength
        if modified == nil {
            modified = ZipTime.seconds(time: time, date: date)
            isModifiedLocal = modified != nil
        }
        try setEncryption(extras.aes)
        try setKind(attributes)
        try checkSizes()
    }

    /// Sees how it is encrypted, and what of it we cannot read (FAULTS Z07).
    private mutating func setEncryption(_ aes: ArraySlice<UInt8>?) throws(ArchiveError) {
        let isEncrypted = flags & 1 != 0
        if flags & 1 << 6 != 0 || flags & 1 << 13 != 0 {
            obstacle = "it is encrypted by PKWARE's strong encryption"
        } else if flags & 1 << 5 != 0 {
            obstacle = "it is a patch to another file"
        }
        if method == ZipMethod.aes {
            guard isEncrypted, let aes else {
                throw .zipDamaged(path, "it is marked as encrypted by AES, but not how")
            }
            var fields = ZipFields(aes)
            let version = fields.u16()
            let vendor = fields.u16()
            let strength = fields.u8()
            method = fields.u16()
            guard fields.fits, vendor == 0x4541, (1...2).contains(version), (1...3).contains(strength) else {
                throw .zipDamaged(path, "it is marked as encrypted by AES, but not how")
            }
            encryption = .aes(version: version, strength: strength)
        } else if isEncrypted {
            encryption = .traditional
        }
        if obstacle == nil, !ZipMethod.isKnown(method) {
            let name = ZipMethod.name(method)
            let isNamed = !name.hasPrefix("method")
            obstacle =
                "it is compressed by "
                + (isNamed ? "method \(method), \(name)" : "an unknown method, number \(method)")
        }
    }

    /// Sets the kind by the attributes: Unix has kinds and modes in the upper half, DOS has bits in the lower; a name
    /// that ends in `/` is a directory's.
    private mutating func setKind(_ attributes: UInt32) throws(ArchiveError) {
        let mode = isUnixMade ? attributes >> 16 : 0
        let isNamedDirectory = rawName.last == UInt8(ascii: "/") || path.utf8.last == UInt8(ascii: "/")
        switch mode & 0o170000 {
        case 0o040000: kind = .directory
        case 0o120000:
            guard !isNamedDirectory else { throw .zipDamaged(path, "it is a link with the name of a directory") }
            kind = .symbolicLink
        case 0o020000: kind = .other("a character device")
        case 0o060000: kind = .other("a block device")
        case 0o010000: kind = .other("a named pipe")
        case 0o140000: kind = .other("a socket")
        default:
            // Programs set the bit of DOS for directories, and some for files as well.
            if isNamedDirectory || (attributes & 0x10 != 0 && mode == 0 && size == 0) { kind = .directory }
        }
        isExecutable = kind == .file && mode & 0o111 != 0
    }

    private func checkSizes() throws(ArchiveError) {
        // Nobody reads the bytes of a directory, however many there are said to be.
        guard kind != .directory else { return }
        let overhead: Int64 =
            switch encryption {
            case nil: 0
            case .traditional: 12
            case .aes(_, let strength): Int64(strength) * 4 + 4 + 2 + 10
            }
        guard compressedSize >= overhead else { throw .zipDamaged(path, "it is too short for its encryption") }
        guard obstacle != nil || method != ZipMethod.stored || compressedSize - overhead == size else {
            throw .zipDamaged(path, "it is stored uncompressed, but has two different sizes")
        }
    }
}
