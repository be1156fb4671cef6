extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// The case whose name has exactly these bytes.
    init?(exactly text: String) {
        guard let choice = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else { return nil }
        self = choice
    }
}
