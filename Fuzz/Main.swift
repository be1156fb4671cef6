import PawlCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The property named by PAWL_FUZZ_TARGET, chosen once.
private let property: ParserProperty = {
    let name = getenv("PAWL_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    let all = ParserProperty.all + [.metalink] + ParserProperty.zips + ParserProperty.lists
    guard let property = all.first(where: { $0.name == name }) else {
        fatalError("PAWL_FUZZ_TARGET is one of: " + all.map(\.name).joined(separator: " "))
    }
    return property
}()

/// Runs one input of libFuzzer (https://llvm.org/docs/LibFuzzer.html). A trap is its sign that something was found.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    #if PAWL_BREAK_A_PROMISE
    // For the self-test: no example does it, and noise hardly ever.
    if Base64.decode(input)?.count == 7 { fatalError("the promise that was broken") }
    #endif
    do {
        try property.check(input)
    } catch {
        fatalError("\(property.name): \(error)")
    }
    return 0
}
