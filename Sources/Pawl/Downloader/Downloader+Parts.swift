import PawlCore
import PawlEngine

/// Parts of a file in memory, and the identity of the file.
package struct FetchedParts: Sendable {
    /// The parts one behind the other, in the order requested.
    package let bytes: [UInt8]
    package let representation: Representation
    /// The URL after redirects, redacted.
    package let url: String
}

extension Downloader {
    /// Long enough that asking anew costs little, even far away.
    private static let maximumRequestLength: Int64 = 16 << 20

    /// Fetches parts of a file into memory like any download. A server that ignores ranges fails with
    /// ``DownloadError/Code/rangesNotSupported``.
    ///
    /// - Parameters:
    ///   - request: its directory and file name are ignored.
    ///   - expected: the validators of the file seen earlier; another file fails with ``DownloadError/Code/changed``.
    package func parts(
        _ ranges: RangeSelection, of request: DownloadRequest, expecting expected: Representation? = nil,
        maximumBytes: Int, begun: ((Download) -> Void)? = nil
    ) async throws -> FetchedParts {
        var request = request
        request.ranges = ranges
        request.isSparse = false
        let (bytes, result) = try await fetch(request, maximumBytes: maximumBytes, begun: begun) {
            Self.wantOnlyParts(&$0, expecting: expected)
        }
        guard let representation = result.representation else { throw CancellationError() }
        return FetchedParts(bytes: bytes, representation: representation, url: result.finalURL)
    }

    /// Starts a download of parts of a file, without ever reading the whole. Nothing but the parts is transferred: no
    /// connection is cut short in favour of another.
    ///
    /// Without a validator nothing shows that several answers are of one file. The caller has checksums of its own for
    /// the parts, and so it is no obstacle.
    package func startParts(
        _ request: DownloadRequest, expecting expected: Representation?
    ) throws(DownloadError) -> Download {
        var plan = try request.resolved()
        Self.wantOnlyParts(&plan, expecting: expected)
        return try start(plan, refreshURL: request.refreshURL)
    }

    private static func wantOnlyParts(_ plan: inout Plan, expecting expected: Representation?) {
        plan.settings.expected = expected
        plan.settings.isCheckedByCaller = expected.map { !$0.isCombinable } ?? false
        plan.settings.readsWhole = false
        plan.settings.maximumRequestLength = maximumRequestLength
        plan.settings.onChange = .fail
    }
}
