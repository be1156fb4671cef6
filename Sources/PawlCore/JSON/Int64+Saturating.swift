extension Int64 {
    /// The nearest number; zero for what is not one. Rates are quotients, and a quotient may be infinite.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
