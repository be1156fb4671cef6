/// Of all programs of this package.
package enum ProgramVersion {
    package static let text = "1.0.0-dev"
}
