package import PawlCore

/// Values of aria2's options, each as aria2 keeps it.
package struct Aria2Options: Hashable, Sendable {
    /// The values by the index of the option in the table.
    private var values: [Int: String] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    /// Gives an option a value; one that may be given several times gets another line.
    ///
    /// - Throws: for a value that it does not take; nothing is changed then. A name that is none of aria2's does
    ///   nothing.
    package mutating func set(_ name: String, _ text: String) throws(Aria2Option.Problem) {
        guard let index = Aria2Option.index(of: name) else { return }
        try set(index, text)
    }

    mutating func set(_ index: Int, _ text: String) throws(Aria2Option.Problem) {
        let value = try Aria2Option.all[index].value(of: text)
        if Aria2Option.all[index].isRepeated, let known = values[index], !known.isEmpty {
            values[index] = known + "\n" + value
        } else {
            values[index] = value
        }
    }

    /// Reads the options of a call; options that the call does not take are ignored, as in aria2.
    ///
    /// - Parameter json: the object with a text for each option, or a list of texts for one that may be given several
    ///   times.
    package init(_ json: JSONValue?, takenBy call: Aria2Option.Calls) throws(Aria2Option.Problem) {
        guard case .object(let members)? = json else { return }
        for member in members {
            guard let index = Aria2Option.index(of: member.key), !Aria2Option.all[index].calls.isDisjoint(with: call)
            else { continue }
            switch (member.value, Aria2Option.all[index].kind) {
            case (.string(let text), _): try set(member.key, text)
            case (.array(let texts), .lines): for case .string(let text) in texts { try set(member.key, text) }
            default: break
            }
        }
    }

    /// The value of an option; nil if it was not given.
    package subscript(_ name: StaticString) -> String? {
        get { values[Aria2Option.index(known: name)] }
        set { values[Aria2Option.index(known: name)] = newValue }
    }

    package func value(of option: Aria2Option) -> String? { Aria2Option.index(of: option.name).flatMap { values[$0] } }

    package mutating func remove(_ option: Aria2Option) {
        if let index = Aria2Option.index(of: option.name) { values[index] = nil }
    }

    package func isTrue(_ name: StaticString) -> Bool { self[name].map { $0.isExactly("true") } ?? false }

    /// Returns whether the option is `false`; false also if it was not given.
    package func isFalse(_ name: StaticString) -> Bool { self[name].map { $0.isExactly("false") } ?? false }

    package func number(_ name: StaticString) -> Int64? { self[name].flatMap { Int64($0) } }

    package func lines(_ name: StaticString) -> [String] {
        self[name]?.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) } ?? []
    }

    /// Returns these options, and the others where these set nothing.
    package func over(_ others: Aria2Options) -> Aria2Options {
        var all = self
        all.values.merge(others.values) { mine, _ in mine }
        return all
    }

    /// The options with their values, in alphabetical order.
    package var entries: [(option: Aria2Option, value: String)] {
        values.sorted { $0.key < $1.key }.map { (Aria2Option.all[$0.key], $0.value) }
    }

    /// The same, but that what may be given several times comes behind what others have said.
    package func extending(_ others: Aria2Options) -> Aria2Options {
        var all = over(others)
        for (index, value) in values {
            if Aria2Option.all[index].isRepeated, let former = others.values[index], !former.isEmpty, !value.isEmpty {
                all.values[index] = former + "\n" + value
            }
        }
        return all
    }

    package func filter(_ isIncluded: (Aria2Option) -> Bool) -> Aria2Options {
        var some = self
        some.values = values.filter { isIncluded(Aria2Option.all[$0.key]) }
        return some
    }

    /// The default value of each option.
    package static let initial: Aria2Options = {
        var all = Aria2Options()
        for (index, option) in Aria2Option.all.enumerated() { all.values[index] = option.initial }
        return all
    }()

    /// The options as JSON, by name and without secret ones.
    package var json: JSONValue {
        .object(
            entries.filter { !$0.option.calls.contains(.secret) }.map {
                .init(key: $0.option.name, value: .string($0.value))
            })
    }
}
