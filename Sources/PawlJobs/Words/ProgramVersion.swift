/// The version of all programs in this package.
package enum ProgramVersion {
    package static let text = "0.9.0"
}
