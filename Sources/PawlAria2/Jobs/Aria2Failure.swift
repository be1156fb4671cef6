/// The reason why aria2c cannot do what it was started for.
package struct Aria2Failure: Error, Hashable {
    /// aria2's exit status.
    package let status: Int
    package let message: String

    package init(_ message: String, status: Int = Aria2Status.unknown) {
        (self.status, self.message) = (status, message)
    }
}
