/// Of all programs of this package.
package enum ProgramVersion {
    package static let text = "0.9.0"
}
