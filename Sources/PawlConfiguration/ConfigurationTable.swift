import PawlCore

/// A part of the configuration file, which belongs to one program.
package enum ConfigurationTable: CaseIterable, Sendable {
    /// The lines in front of the first table.
    case service
    /// The defaults of `pawl get`.
    case get

    /// The name in brackets; nil for the lines in front of the first table.
    package var name: String? {
        switch self {
        case .service: nil
        case .get: "get"
        }
    }

    /// The rest of the sentence about a key of this table that stands in another one.
    var advice: String {
        switch self {
        case .service: "it is an option of the service. Move it above the first table."
        case .get: "it is an option of the table [get]. Move it below a line [get]."
        }
    }

    static let names = allCases.compactMap(\.name)
}
