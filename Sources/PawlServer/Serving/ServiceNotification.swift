import PawlSystem

/// What systemd is told (sd_notify(3)); nothing where it has not asked.
package enum ServiceNotification {
    /// - Parameter state: such as `READY=1`.
    package static func send(_ state: String) {
        guard let path = Environment.value("NOTIFY_SOCKET"), !path.isEmpty else { return }
        UnixSocket.send(state, to: path)
    }
}
