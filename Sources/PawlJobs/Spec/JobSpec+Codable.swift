import PawlCore

/// The same as ``JobSpec/json``, by way of any encoder and decoder.
extension JobSpec: Codable {
    public init(from decoder: any Decoder) throws { try self.init(jsonValue: try JSONValue(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try jsonValue.encode(to: encoder) }
}
