/// Punycode (RFC 3492): the ASCII that the letters of a host's name are written in.
package enum Punycode {
    /// A domain name, each label of it that is not in ASCII as `xn--…`. Nil when one is longer than a label can be (RFC
    /// 1035 §2.3.4).
    package static func encode(domain: String) -> String? {
        var labels: [String] = []
        for label in domain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map({
            Substring($0)
        }) {
            if label.utf8.allSatisfy({ $0 < 0x80 }) {
                labels.append(String(label))
            } else {
                guard label.utf8.count <= 252, let encoded = encode(label: label.unicodeScalars.map(\.value)) else {
                    return nil
                }
                labels.append("xn--" + encoded)
            }
        }
        return labels.joined(separator: ".")
    }

    /// The letters of one label that begins with `xn--`; nil for anything that ``encode(domain:)`` would not have
    /// written.
    package static func decode(label: Substring) -> String? {
        guard label.utf8.count <= 63, label.begins(with: "xn--"),
            let letters = letters(Array(label.utf8.dropFirst(4))[...])
        else { return nil }
        var text = String.UnicodeScalarView()
        for letter in letters {
            guard let scalar = Unicode.Scalar(letter) else { return nil }
            text.append(scalar)
        }
        let decoded = String(text)
        return encode(domain: decoded).map { $0.isExactly(label) } == true ? decoded : nil
    }

    /// RFC 3492 §6.2.
    private static func letters(_ input: ArraySlice<UInt8>) -> [UInt32]? {
        let end = input.lastIndex(of: UInt8(ascii: "-"))
        var output = end.map { input[..<$0].map { UInt32($0) } } ?? []
        var rest = end.map { input[($0 + 1)...] } ?? input
        var (code, index, bias) = (UInt32(128), UInt32(0), UInt32(72))
        while !rest.isEmpty {
            let start = index
            var (weight, place) = (UInt32(1), UInt32(36))
            while true {
                guard let digit = rest.popFirst().flatMap(value) else { return nil }
                let (step, overflow) = digit.multipliedReportingOverflow(by: weight)
                guard !overflow, case let (sum, isTooLarge) = index.addingReportingOverflow(step), !isTooLarge else {
                    return nil
                }
                index = sum
                let threshold = place <= bias ? 1 : min(26, place - bias)
                if digit < threshold { break }
                let (next, isTooHeavy) = weight.multipliedReportingOverflow(by: 36 - threshold)
                guard !isTooHeavy else { return nil }
                weight = next
                place += 36
            }
            let count = UInt32(output.count + 1)
            bias = adapted(index - start, isFirst: start == 0, count: count)
            let (next, overflow) = code.addingReportingOverflow(index / count)
            guard !overflow else { return nil }
            code = next
            index %= count
            output.insert(code, at: Int(index))
            index += 1
        }
        return output
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    /// RFC 3492 §6.3. The input is short, so that no number here comes near its bounds.
    private static func encode(label: [UInt32]) -> String? {
        var output = label.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = UInt32(output.count)
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, handled) = (UInt32(128), UInt32(0), UInt32(72), basicCount)
        while handled < label.count {
            guard let next = label.filter({ $0 >= code }).min() else { return nil }
            let (step, overflow) = (next - code).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, case let (sum, isTooLarge) = delta.addingReportingOverflow(step), !isTooLarge else {
                return nil
            }
            delta = sum
            code = next
            for letter in label {
                if letter < code { delta += 1 }
                guard letter == code else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapted(delta, isFirst: handled == basicCount, count: handled + 1)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return output.count <= 59 ? String(decoding: output, as: UTF8.self) : nil
    }

    private static func digits(of number: UInt32, bias: UInt32) -> [UInt8] {
        var (rest, place, digits) = (number, UInt32(36), [UInt8]())
        while true {
            let threshold = place <= bias ? 1 : min(26, place - bias)
            if rest < threshold { return digits + [digit(rest)] }
            digits.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            place += 36
        }
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: UInt32, isFirst: Bool, count: UInt32) -> UInt32 {
        var rest = isFirst ? delta / 700 : delta / 2
        rest += rest / count
        var bias: UInt32 = 0
        while rest > 455 {
            rest /= 35
            bias += 36
        }
        return bias + 36 * rest / (rest + 38)
    }
}
