/// A line of text whose parts know what they are, so that colour is decided last.
struct StyledLine: Hashable {
    enum Role: Hashable {
        case plain
        /// The finished part.
        case done
        /// The remaining part.
        case rest
        /// The place of the present activity.
        case mark
        /// A warning.
        case caution
        /// A failure.
        case alarm
    }

    struct Span: Hashable {
        var text: String
        var role: Role
    }

    private(set) var spans: [Span] = []

    init() {}

    init(_ text: String, _ role: Role = .plain) {
        append(text, role)
    }

    /// Neighbours of one role become one span: a map has hundreds of cells and few changes.
    mutating func append(_ text: String, _ role: Role = .plain) {
        guard !text.isEmpty else { return }
        if let last = spans.indices.last, spans[last].role == role {
            spans[last].text += text
        } else {
            spans.append(Span(text: text, role: role))
        }
    }

    mutating func append(_ line: StyledLine) {
        for span in line.spans { append(span.text, span.role) }
    }

    var columns: Int { spans.reduce(0) { $0 + $1.text.columns } }

    func text(coloured: Bool) -> String {
        guard coloured else { return spans.map(\.text).joined() }
        return spans.map { span in
            guard let start = span.role.colour else { return span.text }
            return start + span.text + "\u{1B}[0m"
        }.joined()
    }
}

extension String {
    /// The text without the colours of a line.
    var withoutColours: String {
        var text = String.UnicodeScalarView()
        var isSequence = false
        for scalar in unicodeScalars {
            if scalar == "\u{1B}" { isSequence = true }
            if !isSequence { text.append(scalar) }
            if isSequence, scalar == "m" { isSequence = false }
        }
        return String(text)
    }
}

extension StyledLine.Role {
    /// The terminal's own palette, which its owner chose to be readable; nil is its plain text.
    fileprivate var colour: String? {
        switch self {
        case .plain: nil
        case .done: "\u{1B}[32m"
        case .rest: "\u{1B}[2m"
        case .mark: "\u{1B}[1;36m"
        case .caution: "\u{1B}[1;33m"
        case .alarm: "\u{1B}[1;31m"
        }
    }
}
