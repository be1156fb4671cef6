extension Store {
    package func create(_ key: StoreKey, _ body: StoreBody) async throws(StoreError) -> StoreCreation {
        try await result { create(key, body, $0) }
    }

    package func put(_ key: StoreKey, _ body: StoreBody) async throws(StoreError) {
        try await result { put(key, body, $0) }
    }

    package func get(_ key: StoreKey) async throws(StoreError) -> StoreBody? {
        try await result { get(key, $0) }
    }

    package func delete(_ key: StoreKey) async throws(StoreError) {
        try await result { delete(key, $0) }
    }

    /// Returns the first objects of a folder.
    package func list(_ folder: String) async throws(StoreError) -> StorePage {
        try await result { list(folder, from: nil, $0) }
    }

    /// Calls `body` with each object of a folder, in the order of their keys.
    package func forEach(
        in folder: String, _ body: (StorePage.Object) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var mark: String?
        repeat {
            let page = try await result { [mark] in list(folder, from: mark, $0) }
            for object in page.objects { try await body(object) }
            mark = page.next
        } while mark != nil
    }

    private func result<Value: Sendable>(
        _ call: (@escaping StoreEnd<Value>) -> Void
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
        return try result.get()
    }
}
