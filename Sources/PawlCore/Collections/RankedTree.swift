/// A set in order that also knows ranks: insertion, removal, the first, the n-th and the rank of a key, each O(log n).
///
/// A treap (Seidel and Aragon, 1996) in one array: a node costs its key and 16 bytes, and nothing is allocated for
/// each.
package struct RankedTree<Key: Comparable & Sendable>: Sendable {
    private struct Node: Sendable {
        var key: Key
        var left: Int32 = -1
        var right: Int32 = -1
        var count: Int32 = 1
        let weight: UInt32
    }

    private var nodes: [Node] = []
    private var free: [Int32] = []
    private var root: Int32 = -1
    private var random = SplitMix64(seed: 0x5EED)

    package init() {}

    package var count: Int { Int(count(root)) }

    package var isEmpty: Bool { root < 0 }

    package var first: Key? {
        guard root >= 0 else { return nil }
        var node = root
        while nodes[Int(node)].left >= 0 { node = nodes[Int(node)].left }
        return nodes[Int(node)].key
    }

    package var last: Key? {
        guard root >= 0 else { return nil }
        var node = root
        while nodes[Int(node)].right >= 0 { node = nodes[Int(node)].right }
        return nodes[Int(node)].key
    }

    /// Inserts a key, unless it is in the tree already.
    package mutating func insert(_ key: Key) {
        guard !contains(key) else { return }
        let node = make(key)
        let (before, after) = split(root, at: key)
        root = merge(merge(before, node), after)
    }

    /// Whether it was there.
    @discardableResult
    package mutating func remove(_ key: Key) -> Bool {
        guard contains(key) else { return false }
        root = remove(key, from: root)
        if root < 0 {
            // The tree is empty: a large buffer is released, a small one kept for later insertions.
            nodes.removeAll(keepingCapacity: nodes.capacity <= 64)
            free.removeAll(keepingCapacity: free.capacity <= 64)
        }
        return true
    }

    package func contains(_ key: Key) -> Bool {
        var node = root
        while node >= 0 {
            let here = nodes[Int(node)]
            if key == here.key { return true }
            node = key < here.key ? here.left : here.right
        }
        return false
    }

    /// Returns the number of keys that come before this one, whether it is there or not.
    package func rank(of key: Key) -> Int {
        var rank: Int32 = 0
        var node = root
        while node >= 0 {
            let here = nodes[Int(node)]
            if here.key < key {
                rank += count(here.left) + 1
                node = here.right
            } else {
                node = here.left
            }
        }
        return Int(rank)
    }

    /// Returns the key at a rank; nil outside `0..<count`.
    package subscript(rank: Int) -> Key? {
        guard rank >= 0, rank < count else { return nil }
        var rest = Int32(rank)
        var node = root
        while node >= 0 {
            let here = nodes[Int(node)]
            let before = count(here.left)
            if rest == before { return here.key }
            if rest < before {
                node = here.left
            } else {
                rest -= before + 1
                node = here.right
            }
        }
        return nil
    }

    /// The keys in order.
    package var keys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(count)
        var path: [Int32] = []
        var node = root
        while node >= 0 || !path.isEmpty {
            while node >= 0 {
                path.append(node)
                node = nodes[Int(node)].left
            }
            let next = path.removeLast()
            keys.append(nodes[Int(next)].key)
            node = nodes[Int(next)].right
        }
        return keys
    }

    // MARK: Nodes

    private func count(_ node: Int32) -> Int32 { node < 0 ? 0 : nodes[Int(node)].count }

    private mutating func make(_ key: Key) -> Int32 {
        let node = Node(key: key, weight: UInt32(truncatingIfNeeded: random.next()))
        if let reused = free.popLast() {
            nodes[Int(reused)] = node
            return reused
        }
        nodes.append(node)
        return Int32(nodes.count - 1)
    }

    private mutating func recount(_ node: Int32) {
        nodes[Int(node)].count = count(nodes[Int(node)].left) + count(nodes[Int(node)].right) + 1
    }

    /// Splits a subtree into the keys less than `key` and the rest.
    private mutating func split(_ node: Int32, at key: Key) -> (Int32, Int32) {
        guard node >= 0 else { return (-1, -1) }
        if nodes[Int(node)].key < key {
            let (left, right) = split(nodes[Int(node)].right, at: key)
            nodes[Int(node)].right = left
            recount(node)
            return (node, right)
        }
        let (left, right) = split(nodes[Int(node)].left, at: key)
        nodes[Int(node)].left = right
        recount(node)
        return (left, node)
    }

    /// Every key of `left` is less than every key of `right`.
    private mutating func merge(_ left: Int32, _ right: Int32) -> Int32 {
        guard left >= 0 else { return right }
        guard right >= 0 else { return left }
        if nodes[Int(left)].weight > nodes[Int(right)].weight {
            let merged = merge(nodes[Int(left)].right, right)
            nodes[Int(left)].right = merged
            recount(left)
            return left
        }
        let merged = merge(left, nodes[Int(right)].left)
        nodes[Int(right)].left = merged
        recount(right)
        return right
    }

    private mutating func remove(_ key: Key, from node: Int32) -> Int32 {
        let here = nodes[Int(node)]
        if key == here.key {
            free.append(node)
            return merge(here.left, here.right)
        }
        if key < here.key {
            nodes[Int(node)].left = remove(key, from: here.left)
        } else {
            nodes[Int(node)].right = remove(key, from: here.right)
        }
        recount(node)
        return node
    }
}
