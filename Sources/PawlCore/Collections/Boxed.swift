/// A value whose copies share one place in memory until one of them is changed: for what is large, copied often and
/// rarely changed. Inlinable, so that other modules specialize it.
package struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline final class Place: Sendable {
        @usableFromInline let value: Value

        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var place: Place

    @inlinable package init(_ value: Value) { place = Place(value) }

    @inlinable package var value: Value {
        // A part of it is read without a copy of the rest.
        _read { yield place.value }
        set { place = Place(newValue) }
    }

    /// Whether the two share one place: they are equal then, and it costs nothing to find out.
    package func isShared(with other: Self) -> Bool { place === other.place }

    package static func == (left: Self, right: Self) -> Bool {
        left.place === right.place || left.place.value == right.place.value
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(place.value) }
}
