/// A program that the test needs is missing, or failed.
package enum ServerError: Error, CustomStringConvertible {
    case notInstalled(String)
    case toolFailed(String, String)
    case didNotStart(String, String)
    case noSuchFeature(String)

    package var description: String {
        switch self {
        case .notInstalled(let program): "\(program) is not installed; scripts/setup tests installs what the tests need"
        case .toolFailed(let program, let output): "\(program) failed: \(output)"
        case .didNotStart(let program, let output): "\(program) did not start: \(output)"
        case .noSuchFeature(let feature): "this server cannot do it: \(feature)"
        }
    }
}
