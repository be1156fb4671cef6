import PawlCore
package import PawlStore

/// Decides how a slice becomes a manifest: exactly one, that of the attempt that came first, and never before its data.
///
/// The machine opens nothing and waits for nothing; a store that fails for the moment is the business of the
/// ``PatientStore`` in front of it. Each action but ``Action/end(_:)`` is answered by one event, from
/// which the next action follows.
package struct SliceMachine: Hashable, Sendable {
    package enum Event: Sendable {
        case start
        /// The answer to ``Action/getManifest``: nil if there is none.
        case got(ManifestHead?)
        /// There is a manifest, and it cannot be read.
        case unreadable(WorkError)
        /// The spool is open; it may have items of an earlier process.
        case opened(attempt: String)
        /// Each item has an end.
        case gathered(ourFailures: Int)
        /// Each file is in the store, or another has its name.
        case storedFiles
        /// The files of the spool are complete.
        case sealed(ManifestHead)
        /// The data is in the store.
        case put
        case created(StoreCreation)
        case deleted
        case cleared
        case storeFailed(StoreError)
        /// The disk of the spool failed, or is full.
        case spoolFailed(String)
        /// The slice is abandoned. Nothing that was begun is waited for.
        case stop
    }

    package enum Action: Hashable, Sendable {
        case getManifest
        case openSpool
        /// Fetch the items that have no end yet.
        case gather
        /// Create an object for each file, if there is none of its name.
        case storeFiles
        case seal
        case putData(ManifestHead.Data)
        /// Create the manifest, if there is none.
        case createManifest
        case deleteData(StoreKey)
        /// Remove the spool.
        case clear
        case end(End)
    }

    package enum End: Hashable, Sendable {
        /// The slice has a manifest. `isOurs`: this attempt made it; else it was there, or another was quicker.
        case committed(ManifestHead, isOurs: Bool)
        case failed(WorkError)
        case stopped
    }

    private enum Step: Hashable, Sendable {
        case looking, opening, gathering, storingFiles, sealing, putting, creating
        /// The key is taken: by whom?
        case comparing
        case deleting(End), clearing(End)
        case ended
    }

    /// The beginning of the manifest, as every attempt writes it.
    private let expected: ManifestHead
    private let maximumFailed: Double
    private let form: BatchPlan.Form
    private var step = Step.looking
    private var attempt = ""
    private var head: ManifestHead?
    /// The manifest was there, and then it was not.
    private var hasVanished = false

    /// - Parameter maximumFailed: the share of the items, from 0 to 1, that may fail on our side.
    package init(_ slice: Slice, maximumFailed: Double) {
        expected = ManifestHead(slice.batch, slice.id, first: slice.first, items: slice.count, attempt: "")
        (self.maximumFailed, form) = (maximumFailed, slice.form)
    }

    /// Whether so many failures on our side are too many.
    package func areTooMany(_ ourFailures: Int) -> Bool {
        Double(ourFailures) > maximumFailed * Double(expected.items)
    }

    package mutating func handle(_ event: Event) -> Action? {
        if step == .ended { return nil }
        switch event {
        case .storeFailed(let error): return failed(error)
        case .spoolFailed(let message): return end(.failed(WorkError(.again, message)))
        case .stop: return end(.stopped)
        case .unreadable(let error): return end(.failed(error))
        case .got(let manifest?) where !manifest.isOfSame(expected):
            let key = StoreKey.manifest(expected.id)
            return end(
                .failed(WorkError(.batch, "“\(key)” is of another batch, or of another list. Begin in an empty place."))
            )
        default: break
        }
        switch (step, event) {
        case (.looking, .start): break
        case (.looking, .got(let manifest?)): step = .clearing(.committed(manifest, isOurs: false))
        case (.looking, .got(nil)): step = .opening
        case (.opening, .opened(let attempt)): (self.attempt, step) = (attempt, .gathering)
        case (.gathering, .gathered(let ourFailures)):
            guard !areTooMany(ourFailures) else { return end(.failed(tooManyFailures(ourFailures))) }
            step = form == .files ? .storingFiles : .sealing
        case (.storingFiles, .storedFiles): step = .sealing
        case (.sealing, .sealed(let head)):
            self.head = head
            step = head.data == nil ? .creating : .putting
        case (.putting, .put): step = .creating
        case (.creating, .created(.created)): if let head { step = .clearing(.committed(head, isOurs: true)) }
        case (.creating, .created(.exists)): step = .comparing
        case (.comparing, .got(let manifest?)): compare(manifest)
        // The manifest was there a moment ago.
        case (.comparing, .got(nil)):
            guard !hasVanished else { return end(.failed(contradiction)) }
            (step, hasVanished) = (.creating, true)
        case (.deleting(let end), .deleted): step = .clearing(end)
        case (.clearing(let end), .cleared): return self.end(end)
        // Proven: an action has one answer, and the next action follows from it.
        default: preconditionFailure("\(event) in \(step)")
        }
        return action
    }

    /// The action of a step.
    private var action: Action? {
        switch step {
        case .looking, .comparing: .getManifest
        case .opening: .openSpool
        case .gathering: .gather
        case .storingFiles: .storeFiles
        case .sealing: .seal
        case .putting: head?.data.map { .putData($0) }
        case .creating: .createManifest
        case .deleting: head?.data.map { .deleteData($0.key) }
        case .clearing: .clear
        case .ended: nil
        }
    }

    private mutating func compare(_ manifest: ManifestHead) {
        // An answer was lost, and the manifest is ours.
        let isOurs = manifest.attempt.isExactly(attempt)
        let end = End.committed(manifest, isOurs: isOurs)
        // The slice is committed without it, and nobody else has data of this name.
        let isInTheWay = head?.data != nil && head?.data?.key != manifest.data?.key
        step = isInTheWay ? .deleting(end) : .clearing(end)
    }

    private mutating func failed(_ error: StoreError) -> Action? {
        // The slice is committed all the same; our data is an orphan that can be found.
        if case .deleting(let end) = step {
            step = .clearing(end)
            return action
        }
        return end(.failed(WorkError(error)))
    }

    private mutating func end(_ end: End) -> Action {
        step = .ended
        return .end(end)
    }

    private var contradiction: WorkError {
        WorkError(.again, "The store says that “\(StoreKey.manifest(expected.id))” is there, and that it is not.")
    }

    private func tooManyFailures(_ count: Int) -> WorkError {
        WorkError(
            .again,
            """
            \(count) of \(expected.items) files failed in a way that may be this machine's fault: names were not resolved, or \
            servers not reached. The slice is not committed. Check the network here, or allow more with a higher \
            “maximumFailed” in a new batch.
            """)
    }
}
