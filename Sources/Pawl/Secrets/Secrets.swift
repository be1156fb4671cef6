public import PawlCore

/// Reading secrets from where others do not see them.
public enum Secrets {
    /// The first line of a file, which may be a pipe. Blocks.
    ///
    /// - Throws: ``DownloadError/Code/invalidArgument`` when it cannot be read, is empty, or has more lines that are
    ///   not empty.
    public static func firstLine(ofFile path: String) throws(DownloadError) -> String {
        let text: String
        do throws(StorageError) {
            text = try WholeFile.read(at: path, limit: 64 * 1024).text
        } catch {
            throw .argument("“\(path)” cannot be read (\(WholeFile.explanation(of: error))).")
        }
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 1, let line = lines.first else {
            throw .argument("“\(path)” must hold one line with the secret and nothing else; it has \(lines.count).")
        }
        return String(line)
    }
}
