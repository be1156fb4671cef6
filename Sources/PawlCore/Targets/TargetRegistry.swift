/// The holders of targets: the one answer to "is this target taken?", for the downloads of a program, of a queue and of
/// a run of jobs.
///
/// A value without a lock: whoever keeps one decides who may reach it.
package struct TargetRegistry<Target: Hashable & Sendable, Holder: Sendable>: Sendable {
    private var holders: [Target: Holder] = [:]

    package init() {}

    package var all: [Holder] { Array(holders.values) }

    package func holder(of target: Target) -> Holder? { holders[target] }

    /// A target is its first holder's, until that one releases it.
    ///
    /// - Returns: who holds it already; nil: the new holder does now.
    package mutating func claim(_ target: Target, for holder: Holder) -> Holder? {
        if let former = holders[target] { return former }
        holders[target] = holder
        return nil
    }

    /// Gives a target to a holder, regardless of who held it before.
    package mutating func give(_ target: Target, to holder: Holder) { holders[target] = holder }

    package mutating func release(_ target: Target) { holders[target] = nil }
}

extension TargetRegistry where Holder: Equatable {
    /// The first of those who hold one of these targets, apart from this one.
    package func holder(of targets: [Target], otherThan holder: Holder) -> Holder? {
        targets.lazy.compactMap { holders[$0] }.first { $0 != holder }
    }

    /// Takes all targets, or none if another holder has one. Returns whether they were taken.
    package mutating func claim(_ targets: [Target], for holder: Holder) -> Bool {
        guard self.holder(of: targets, otherThan: holder) == nil else { return false }
        for target in targets { holders[target] = holder }
        return true
    }

    /// Releases those of the targets that this holder has. Targets that another has taken since stay with the other.
    package mutating func release(_ targets: [Target], of holder: Holder) {
        for target in targets where holders[target] == holder { holders[target] = nil }
    }
}
