import PawlSystem

/// The terminal on stderr, asked anew each time: windows are resized, jobs go to the background.
enum Terminal {
    /// Whether a block can be redrawn in place: stderr is a terminal that can move its cursor.
    static var canRedraw: Bool {
        guard isatty(OutputStream.standardError.descriptor) == 1 else { return false }
        guard let kind = Environment.value("TERM") else { return false }
        return !kind.isEmpty && kind != "dumb"
    }

    struct Size: Hashable {
        var columns: Int
        var rows: Int
    }

    /// The size of the terminal; 80 columns and 24 rows if it does not say.
    static var size: Size { size(of: OutputStream.standardError.descriptor) }

    static func size(of descriptor: Int32) -> Size {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return Size(columns: 80, rows: 24) }
        return Size(columns: size.ws_col > 0 ? Int(size.ws_col) : 80, rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether the program may draw: in the background the terminal belongs to the shell and whatever runs there. What
    /// is no terminal belongs to nobody.
    static var isForeground: Bool {
        let group = tcgetpgrp(OutputStream.standardError.descriptor)
        return group == getpgrp() || group == -1 && errno == ENOTTY
    }
}
