import Hummingbird
import NIOCore
import PawlCore
import PawlSystem
import ServiceLifecycle

/// Says where the service cannot listen, and why.
struct ListeningPlace {
    private let place: String
    private let port: Int?

    init(_ address: ServiceServer.Address) { (place, port) = (address.authority, address.port) }

    init(socket path: String) { (place, port) = ("“\(path)”", nil) }

    func running(_ service: any Service) -> any Service { Listening(service: service, listener: self) }

    private struct Listening: Service {
        let service: any Service
        let listener: ListeningPlace

        func run() async throws {
            do {
                try await service.run()
            } catch let error as IOError {
                throw listener.failure(error)
            }
        }
    }

    private func failure(_ error: IOError) -> DownloadError {
        let message =
            switch (error.errnoCode, port) {
            case (EADDRINUSE, let port?):
                "Port \(port) is in use by another program, or by a service that is already running (\(place)). Choose another one with “port”, or stop that program."
            case (EADDRNOTAVAIL, _?): "\(place): this address in “listen” does not belong to this machine."
            case (EACCES, let port?): "Only root may listen on port \(port). Choose one above 1023 with “port”."
            default: "The service cannot listen on \(place): \(SystemCalls.text(of: error.errnoCode))."
            }
        return DownloadError(.notWritable, message, recovery: .giveUp, underlying: "\(error)")
    }
}
