extension Unicode.Scalar {
    /// The escape for a scalar that must not be shown as it is: `\u{1B}`, and `\xE9` for a byte that is not UTF-8; nil
    /// for one that can be shown.
    package var terminalEscape: String? {
        if let systemByte { return "\\x" + String(systemByte, radix: 16, uppercase: true) }
        return steersTerminal ? "\\u{\(String(value, radix: 16, uppercase: true))}" : nil
    }

    /// Control and format characters, line separators, and what has no meaning outside one program: never shown as they
    /// are.
    package var steersTerminal: Bool {
        guard value >= 0x7F else { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}
