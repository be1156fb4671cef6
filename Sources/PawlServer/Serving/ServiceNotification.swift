import PawlSystem

/// Notifications to systemd (sd_notify(3)); without `NOTIFY_SOCKET`, none are sent.
package enum ServiceNotification {
    /// - Parameter state: such as `READY=1`.
    package static func send(_ state: String) {
        guard let path = Environment.value("NOTIFY_SOCKET"), !path.isEmpty else { return }
        UnixSocket.send(state, to: path)
    }

    package static func sendReloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)")
    }

    /// Reports twice in each watchdog interval of systemd that the process is well, until the task is cancelled.
    package static func keepWatchdogAwake() async {
        guard let time = Environment.value("WATCHDOG_USEC").flatMap({ Int64($0) }), time > 0 else { return }
        while !Task.isCancelled {
            send("WATCHDOG=1")
            try? await Task.sleep(for: .microseconds(time / 2))
        }
    }
}
