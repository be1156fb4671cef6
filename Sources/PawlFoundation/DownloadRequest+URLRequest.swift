public import Foundation
public import Pawl
public import PawlCore

/// The properties of Foundation's `URLRequest` from which a download request can be made.
///
/// On Apple's platforms `URLRequest` conforms. On Linux it is in FoundationNetworking, which loads libcurl and some
/// thirty libraries behind it; Pawl does not link those for everybody. Where you import FoundationNetworking yourself,
/// one line makes it conform:
///
/// ```swift
/// import FoundationNetworking
///
/// extension URLRequest: @retroactive URLRequestFields {}
/// ```
public protocol URLRequestFields {
    associatedtype CachePolicy: RawRepresentable where CachePolicy.RawValue == UInt
    associatedtype NetworkServiceType: RawRepresentable where NetworkServiceType.RawValue == UInt

    var url: URL? { get }
    var httpMethod: String? { get }
    var allHTTPHeaderFields: [String: String]? { get }
    var httpBody: Data? { get }
    var httpBodyStream: InputStream? { get }
    /// The timeout in seconds.
    var timeoutInterval: TimeInterval { get }
    var cachePolicy: CachePolicy { get }
    var networkServiceType: NetworkServiceType { get }
    var mainDocumentURL: URL? { get }
    var allowsCellularAccess: Bool { get }
    var httpShouldHandleCookies: Bool { get }
}

#if canImport(Darwin)
extension URLRequest: URLRequestFields {}
#endif

extension DownloadRequest {
    /// Takes over what a `URLRequest` asks for, or says what cannot be taken over.
    ///
    /// - The URL and the header fields are taken over. The fields go to the origin of the URL only, also after a
    ///   redirect. Those that Pawl sets itself, such as `Range` and `Accept-Encoding`, are refused when the download
    ///   starts.
    /// - `timeoutInterval` becomes `DownloadOptions.stallTimeout` and `DownloadOptions.responseTimeout`. A
    ///   connection that is idle for so long is replaced, where `URLSession` would fail.
    /// - Pawl has no cache, so each policy that permits loading from the server is fulfilled.
    /// - `httpShouldUsePipelining`, a deprecated hint, is not looked at: Pawl never pipelines.
    ///
    /// - Parameters:
    ///   - request: a GET without a body.
    ///   - file: the finished file. Its directory must exist.
    /// - Throws: `DownloadError`. `invalidURL`: there is no URL, or it cannot be fetched. `invalidArgument`: the
    ///   target cannot be used (as with a `URL`), or the request has a method other than GET, a body, a timeout that is
    ///   not above zero, a cache policy that forbids loading or reaches into other caches, or another property that is
    ///   not at its default. The message names it.
    public init(_ request: some URLRequestFields, to file: URL) throws(DownloadError) {
        guard let url = request.url else { throw .urlIsMissing }
        try self.init(url, to: file)
        try take(request)
    }

    /// The same, into a directory; the server names the file, or else the URL.
    ///
    /// - Throws: `DownloadError`, as the initializer with a file.
    public init(_ request: some URLRequestFields, in directory: URL) throws(DownloadError) {
        guard let url = request.url else { throw .urlIsMissing }
        try self.init(url, in: directory)
        try take(request)
    }

    /// The same, for what stores no file.
    ///
    /// - Throws: `DownloadError`, as the initializer with a file.
    public init(_ request: some URLRequestFields) throws(DownloadError) {
        guard let url = request.url else { throw .urlIsMissing }
        try self.init(url)
        try take(request)
    }

    private mutating func take(_ request: some URLRequestFields) throws(DownloadError) {
        if let problem = request.problem {
            throw .argument("The URLRequest \(problem). Downloads do not support that.")
        }
        // A dictionary has no order, and requests are compared field by field.
        context.headers = (request.allHTTPHeaderFields ?? [:])
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { HTTPField($0.key, $0.value) }
        let timeout = Duration.seconds(min(request.timeoutInterval, Self.maximumTimeout))
        options.stallTimeout = timeout
        options.responseTimeout = timeout
    }

    /// The longest timeout in seconds: some thirty years. `.infinity` is no `Duration`.
    private static let maximumTimeout: TimeInterval = 1e9
}

extension URLRequestFields {
    /// The property of the request that a download would have to drop; nil if there is none.
    fileprivate var problem: String? {
        if let httpMethod, httpMethod != "GET" { return "has the method \(httpMethod)" }
        if httpBody != nil || httpBodyStream != nil { return "has a body" }
        // Also for one that is not a number.
        guard timeoutInterval > 0 else { return "has a timeoutInterval of \(timeoutInterval) s" }
        if cachePolicy.rawValue == CachePolicyNumber.returnCacheDataDontLoad { return "forbids loading (cachePolicy)" }
        if cachePolicy.rawValue == CachePolicyNumber.reloadIgnoringLocalAndRemoteCacheData {
            return "asks for other caches to be bypassed (cachePolicy); a header field “Cache-Control” does that"
        }
        guard networkServiceType.rawValue == 0 else { return "has a networkServiceType" }
        guard mainDocumentURL == nil else { return "has a mainDocumentURL" }
        guard httpShouldHandleCookies else { return "turns cookies off (httpShouldHandleCookies)" }
        guard allowsCellularAccess else { return "forbids cellular access (allowsCellularAccess)" }
        return platformProblem
    }

    private var platformProblem: String? {
        #if canImport(Darwin)
        guard let request = self as? URLRequest else { return nil }
        if !request.allowsExpensiveNetworkAccess { return "forbids expensive networks (allowsExpensiveNetworkAccess)" }
        if !request.allowsConstrainedNetworkAccess { return "forbids low data mode (allowsConstrainedNetworkAccess)" }
        if request.requiresDNSSECValidation { return "requires DNSSEC (requiresDNSSECValidation)" }
        #endif
        return nil
    }
}

/// The numbers differ between the platforms.
private enum CachePolicyNumber {
    #if canImport(Darwin)
    private typealias Policy = URLRequest.CachePolicy
    static let returnCacheDataDontLoad = Policy.returnCacheDataDontLoad.rawValue
    static let reloadIgnoringLocalAndRemoteCacheData = Policy.reloadIgnoringLocalAndRemoteCacheData.rawValue
    #else
    // NSURLRequest.swift of swift-corelibs-foundation; a test compares.
    static let returnCacheDataDontLoad: UInt = 4
    static let reloadIgnoringLocalAndRemoteCacheData: UInt = 2
    #endif
}

extension DownloadError {
    fileprivate static var urlIsMissing: DownloadError {
        DownloadError(.invalidURL, "The URLRequest has no URL.", recovery: .giveUp)
    }
}
