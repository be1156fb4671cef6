extension Unicode.Scalar {
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
