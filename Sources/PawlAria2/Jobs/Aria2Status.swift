import PawlCore

/// The outcome of a download as aria2's `errorCode` and exit status (aria2c(1), EXIT STATUS).
package enum Aria2Status {
    package static let complete = 0
    package static let unknown = 1
    package static let notFound = 3
    /// The program ended before all downloads were complete.
    package static let unfinished = 7
    /// A directory could not be created.
    package static let noDirectory = 18
    package static let badOption = 28
    /// The user removed the download; the manual calls the number reserved.
    package static let removed = 31

    /// - Parameter code: of a `DownloadError`, or another error of a job.
    package static func number(of code: String) -> Int { numbers[ExactText(code)] ?? unknown }

    private static let numbers: [ExactText: Int] = {
        let pairs: [(DownloadError.Code, Int)] = [
            (.timeout, 2), (.notFound, 3), (.network, 6), (.rangesNotSupported, 8), (.diskFull, 9), (.locked, 11),
            (.fileExists, 13),
            (.journal, 15), (.partialFileChanged, 15), (.notWritable, 16), (.diskError, 17), (.refused, 22),
            (.badResponse, 22), (.redirect, 23),
            (.unauthorized, 24), (.invalidURL, 28), (.invalidArgument, 28), (.digestMismatch, 32),
        ]
        return Dictionary(uniqueKeysWithValues: pairs.map { (ExactText($0.rawValue), $1) })
    }()
}
