extension Collection<UInt8> {
    /// The bytes in lower-case hexadecimal digits.
    package var hexadecimal: String { DigestAuth.hexadecimal(Array(self)) }
}
