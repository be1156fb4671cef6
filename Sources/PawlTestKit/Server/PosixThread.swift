internal import PawlSystem

/// A joinable thread. A task must not block, and a scripted server does little else.
struct PosixThread: Sendable {
    #if canImport(Darwin)
    // A pointer on Darwin, which any thread may use until the join.
    private nonisolated(unsafe) let handle: pthread_t
    #else
    private let handle: pthread_t
    #endif

    init(_ body: @escaping @Sendable () -> Void) throws {
        let box = Unmanaged.passRetained(Body(run: body))
        #if canImport(Darwin)
        var created: pthread_t?
        let code = pthread_create(&created, nil, { start($0) }, box.toOpaque())
        #else
        var identifier = pthread_t()
        let code = pthread_create(&identifier, nil, { $0.flatMap(start) }, box.toOpaque())
        let created: pthread_t? = identifier
        #endif
        guard code == 0, let created else {
            box.release()
            throw SocketError(call: "pthread_create", code: code)
        }
        self.handle = created
    }

    func join() {
        pthread_join(handle, nil)
    }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func start(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
