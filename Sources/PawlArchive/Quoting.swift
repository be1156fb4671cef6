/// A name for a message: in quotation marks, with everything escaped that could steer a terminal or lie about the order
/// of letters (FAULTS M03), and cut where it would fill the screen.
package func quoted(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
        if text.utf8.count > 300 {
            text += "…"
            break
        }
        text += isUnprintable(scalar) ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
    }
    return "“\(text)”"
}

/// Returns whether a scalar is a control, sets the direction of text, separates lines, or is invisible. The two joiners
/// are kept: words in Persian and Hindi and many emoji need them.
func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value >= 0x20, scalar.value < 0x7F { return false }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    case .format: return scalar.value != 0x200C && scalar.value != 0x200D
    default: return false
    }
}
