extension Unicode.Scalar {
    /// Control and format characters, line separators, and what has no meaning outside one program: never shown as they are.
    package var steersTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}
