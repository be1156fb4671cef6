import PawlCore
package import PawlEngine
import Synchronization

/// A ``Store`` in a bucket of S3 or of what speaks like it.
///
/// Creations are one `PUT` with `If-None-Match: *`, whatever their size: completing an upload in parts under that
/// condition is missing in some stores, and not atomic in others.
package final class S3Store: Store {
    private let place: S3Place
    private let client: S3Client
    private let runtime: any Runtime
    private let digests: any DigestFactory

    package init(_ place: S3Place, _ client: S3Client, runtime: any Runtime, digests: any DigestFactory) {
        (self.place, self.client, self.runtime, self.digests) = (place, client, runtime, digests)
    }

    package func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
        whole(body, ended) { [self] content in
            client.send(.put(place.name(of: key), content, isConditional: true)) { [place] result in
                ended(
                    result.flatMap { response in
                        if response.isStored { return .success(.created) }
                        if response.head.status == 412 { return .success(.exists) }
                        return .failure(StoreError(response, "\(place)/\(key)"))
                    })
            }
        }
    }

    package func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) {
        guard body.length > S3Parts.largestWhole else {
            return whole(body, ended) { [self] content in
                client.send(.put(place.name(of: key), content, isConditional: false)) { [place] result in
                    ended(result.flatMap { $0.isStored ? .success(()) : .failure(StoreError($0, "\(place)/\(key)")) })
                }
            }
        }
        digest(body, S3Parts.ranges(of: body.length), ended) { [self] parts in
            S3Upload(place.name(of: key), "\(place)/\(key)", parts, client, ended).begin()
        }
    }

    package func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) { get(key, isAgain: false, ended) }

    private func get(_ key: StoreKey, isAgain: Bool, _ ended: @escaping StoreEnd<StoreBody?>) {
        client.send(.get(place.name(of: key))) { [self] result in
            switch result {
            case .failure(let error): ended(.failure(error))
            case .success(let response) where response.isObject:
                check(response, key, isAgain: isAgain, ended)
            case .success(let response):
                let code = response.document.errorCode
                // Without a body there is no word about it; another body is not of a store.
                let isMissing = code.isExactly("NoSuchKey") || (code.isEmpty && response.body.length == 0)
                ended(
                    response.head.status == 404 && isMissing
                        ? .success(nil) : .failure(StoreError(response, "\(place)/\(key)")))
            }
        }
    }

    package func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) {
        client.send(.delete(place.name(of: key))) { [place] result in
            ended(
                result.flatMap { response in
                    let isGone = response.head.status == 404 && response.document.errorCode.isExactly("NoSuchKey")
                    return response.isSuccess || isGone
                        ? .success(()) : .failure(StoreError(response, "\(place)/\(key)"))
                })
        }
    }

    package func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
        let prefix = [place.prefix?.text, folder].compactMap(\.self).joined(separator: "/") + "/"
        client.send(.list(prefix, from: mark)) { [place] result in
            ended(
                result.flatMap { response in
                    let document = response.document
                    guard response.isSuccess else { return .failure(StoreError(response, place.description)) }
                    guard document.root.isExactly("ListBucketResult"),
                        document.isTruncated == (document.nextMark != nil)
                    else { return .failure(StoreError(response, place.description)) }
                    let objects = document.listed.compactMap { object in
                        place.key(of: object.name).map { StorePage.Object($0, length: object.length) }
                    }
                    return .success(StorePage(objects, next: document.nextMark))
                })
        }
    }

    // MARK: Digests

    /// Compares an object that was stored at once with the digest that the store has kept. It may have been damaged on
    /// its way, so it is read twice.
    private func check(
        _ response: S3Response, _ key: StoreKey, isAgain: Bool, _ ended: @escaping StoreEnd<StoreBody?>
    ) {
        let (text, type) = (
            response.head.fields.first("x-amz-checksum-sha256"), response.head.fields.first("x-amz-checksum-type")
        )
        guard let text, let expected = Base64.decode(text.utf8), expected.count == SHA256.byteCount,
            type?.uppercased().isExactly("COMPOSITE") != true
        else { return ended(.success(response.body)) }
        runtime.diskExecutor.submit { [self] in
            do throws(StoreError) {
                if try response.body.sha256(by: digests) == expected { return ended(.success(response.body)) }
                if !isAgain { return get(key, isAgain: true, ended) }
                throw StoreError(.damaged, "The bytes of “\(place)/\(key)” are not those that the store was given.")
            } catch {
                ended(.failure(error))
            }
        }
    }

    private func whole<Value>(
        _ body: StoreBody, _ ended: @escaping StoreEnd<Value>,
        _ next: @escaping @Sendable (S3Request.SignedContent) -> Void
    ) {
        let whole = ByteRange(0..<body.length)
        if let digest = body.digest, body.length > 0 { return next(.init(body, whole, digest: digest)) }
        digest(body, [whole], ended) { $0.first.map(next) }
    }

    /// Reads all bytes, compares them with their digest, and goes on with the digests of the parts.
    private func digest<Value>(
        _ body: StoreBody, _ ranges: [ByteRange], _ ended: @escaping StoreEnd<Value>,
        _ next: @escaping @Sendable ([S3Request.SignedContent]) -> Void
    ) {
        runtime.diskExecutor.submit { [self] in
            do throws(StoreError) {
                let found = try digests(of: body, ranges)
                next(zip(ranges, found).map { .init(body, $0, digest: $1) })
            } catch {
                ended(.failure(error))
            }
        }
    }

    /// Returns the digests of parts that follow each other.
    ///
    /// - Throws: `.damaged` if the digest of all of them is not that of the body.
    private func digests(of body: StoreBody, _ ranges: [ByteRange]) throws(StoreError) -> [[UInt8]] {
        let (found, digest): ([[UInt8]], [UInt8])
        do throws(StorageError) {
            (found, digest) = try read(body, ranges)
        } catch {
            throw StoreError(error)
        }
        guard body.digest == nil || digest == body.digest else { throw .changed }
        return found
    }

    private func read(
        _ body: StoreBody, _ ranges: [ByteRange]
    ) throws(StorageError) -> (parts: [[UInt8]], whole: [UInt8]) {
        var (whole, found) = (try digests.makeDigester(.sha256), [[UInt8]]())
        for range in ranges {
            var part = try digests.makeDigester(.sha256)
            try body.read(range) { bytes in
                part.update(bytes)
                whole.update(bytes)
            }
            found.append(part.finalize())
        }
        return (found, whole.finalize())
    }
}
