/// Text that keeps every byte of an argument, a variable or a file name, none of which has to be UTF-8.
///
/// A byte that is not part of valid UTF-8 becomes one scalar of a private range: U+10FE80 for 0x80, up to U+10FEFF for
/// 0xFF. Bytes that spell such a scalar themselves are treated as four of those, so that no two sequences of bytes have
/// the same text (decision 109). Only bytes above ASCII are written so: no slash and no NUL can hide in one.
extension String {
    /// Decodes UTF-8, and keeps what is not.
    package init(systemBytes bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.holdsSystemBytes {
            self = text
            return
        }
        var scalars = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var (source, rest) = (bytes.makeIterator(), bytes[...])
        while true {
            let length: Int
            switch parser.parseScalar(from: &source) {
            case .valid(let sequence):
                let scalar = Unicode.UTF8.decode(sequence)
                length = sequence.count
                if scalar.systemByte == nil {
                    scalars.append(scalar)
                } else {
                    scalars.append(contentsOf: rest.prefix(length).map(Unicode.Scalar.init(systemByte:)))
                }
            case .error(let count):
                length = count
                scalars.append(contentsOf: rest.prefix(length).map(Unicode.Scalar.init(systemByte:)))
            case .emptyInput:
                self = String(scalars)
                return
            }
            rest = rest.dropFirst(length)
        }
    }

    /// The bytes that the system knows: UTF-8, but for those that were kept.
    package var systemBytes: [UInt8] {
        guard holdsSystemBytes else { return Array(utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if let byte = scalar.systemByte { bytes.append(byte) } else { bytes.append(contentsOf: scalar.utf8) }
        }
        return bytes
    }

    /// The length of ``systemBytes``.
    package var systemByteCount: Int {
        holdsSystemBytes ? unicodeScalars.reduce(0) { $0 + $1.systemByteCount } : utf8.count
    }

    /// The one text that these bytes have: another, made by hand, may spell out UTF-8 byte by byte.
    package var canonicalSystemText: String { holdsSystemBytes ? String(systemBytes: systemBytes) : self }

    /// Whether one of the bytes is not UTF-8.
    package var holdsSystemBytes: Bool {
        // The first byte of each such scalar, which few texts have.
        holds(0xF4) && unicodeScalars.contains { $0.systemByte != nil }
    }
}

extension Unicode.Scalar {
    private static let systemBytes: ClosedRange<UInt32> = 0x10FE80...0x10FEFF

    /// The byte that the scalar stands for; nil for every other scalar.
    package var systemByte: UInt8? {
        Self.systemBytes.contains(value) ? UInt8(truncatingIfNeeded: value) : nil
    }

    /// The number of bytes that the system has for the scalar.
    package var systemByteCount: Int { systemByte == nil ? UTF8.width(self) : 1 }

    fileprivate init(systemByte byte: UInt8) {
        // Proven: bytes of ASCII are always valid, and the range has a scalar for each other one.
        self = Unicode.Scalar(0x10FE00 + UInt32(byte)) ?? "\u{FFFD}"
    }
}
