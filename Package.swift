// swift-tools-version: 6.2
import PackageDescription

/// Set by `scripts/test`: our own code must build without a warning. Users of the package never see it.
let strict = Context.environment["PAWL_STRICT"] != nil
/// See Locked.swift.
let checksThreads = Context.environment["PAWL_THREAD_SANITIZER"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    + (strict ? [.treatAllWarnings(as: .error)] : [])
    + (checksThreads ? [.define("PAWL_THREAD_SANITIZER")] : [])

/// The settings of targets in which simulations spend their time: these are optimised in the tests' builds too, with
/// assertions, because thousands of downloads pass through them. Compiling a whole module takes two thirds of the time
/// that its files take one by one. Builds for the thread sanitizer are not optimised: it cannot see the counts of
/// references, by which optimised code knows that nobody else reads a buffer.
let simulated: [SwiftSetting] =
    settings
    + (strict && !checksThreads
        ? [
            .unsafeFlags(
                ["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"],
                .when(configuration: .debug))
        ] : [])

/// The same for C.
let simulatedC: [CSetting] = strict && !checksThreads ? [.unsafeFlags(["-O2"], .when(configuration: .debug))] : []

let package = Package(
    name: "pawl",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Pawl", targets: ["Pawl"]),
        .library(name: "PawlFoundation", targets: ["PawlFoundation"]),
        .library(name: "PawlMetalink", targets: ["PawlMetalink"]),
        .library(name: "PawlArchive", targets: ["PawlArchive"]),
        .library(name: "PawlJobs", targets: ["PawlJobs"]),
        .library(name: "PawlClient", targets: ["PawlClient"]),
        .executable(name: "pawl", targets: ["PawlCLI"]),
        .executable(name: "pawld", targets: ["pawld"]),
    ],
    traits: [
        .trait(
            name: "Service",
            description: "The service. Its dependencies are many: who only wants the library says traits: []."),
        .default(enabledTraits: ["Service"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C can be compiled for other instructions of the processor, and chooses among them.
        .target(name: "CPawlHash", cSettings: simulatedC),
        .target(name: "PawlCore", dependencies: ["CPawlHash"], swiftSettings: simulated),
        // The C library has dlopen(3) in a library of its own before glibc 2.34.
        .target(name: "CPawl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "PawlSystem", dependencies: ["CPawl", "PawlCore"], swiftSettings: settings),
        .target(name: "PawlEngine", dependencies: ["PawlCore"], swiftSettings: simulated),
        .target(
            name: "Pawl",
            dependencies: [
                "CPawl",
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
        .target(name: "PawlFoundation", dependencies: ["PawlCore", "Pawl"], swiftSettings: settings),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"]), .yum(["expat-devel"]), .brew(["expat"])]),
        .target(name: "PawlXML", dependencies: ["CExpat"], swiftSettings: settings),
        .target(
            name: "PawlMetalink", dependencies: ["PawlCore", "PawlSystem", "Pawl", "PawlXML"], swiftSettings: settings),
        // Linked on Apple systems, and loaded on demand elsewhere. The headers are those of libarchive-dev.
        .target(
            name: "CArchive", publicHeadersPath: ".",
            linkerSettings: [
                .linkedLibrary("dl", .when(platforms: [.linux])),
                .linkedLibrary("archive", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        .target(
            name: "PawlArchive",
            dependencies: ["PawlCore", "PawlEngine", "PawlSystem", "Pawl", "CArchive"],
            swiftSettings: settings
        ),
        .target(name: "PawlOptions", dependencies: ["PawlCore"], swiftSettings: settings),
        .target(name: "PawlStore", dependencies: ["PawlCore", "PawlEngine", "PawlXML"], swiftSettings: simulated),
        .target(
            name: "PawlJobs",
            dependencies: [
                "CPawl", "PawlCore", "PawlEngine", "PawlSystem", "Pawl", "PawlMetalink", "PawlArchive", "PawlOptions",
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"])]),
        .target(
            name: "PawlWork",
            dependencies: ["PawlCore", "PawlEngine", "PawlSystem", "Pawl", "PawlJobs", "PawlStore", "CZlib"],
            swiftSettings: simulated),
        .target(
            name: "PawlAria2",
            dependencies: ["PawlCore", "PawlEngine", "PawlSystem", "Pawl", "PawlOptions", "PawlJobs"],
            swiftSettings: settings),
        .target(
            name: "PawlConfiguration",
            dependencies: [
                "PawlCore", "PawlEngine", "PawlSystem", "Pawl", "PawlOptions",
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PawlClient",
            dependencies: [
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                "Pawl",
                "PawlJobs",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "PawlCLI",
            dependencies: [
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                "Pawl",
                "PawlMetalink",
                "PawlArchive",
                "PawlOptions",
                "PawlJobs",
                "PawlAria2",
                "PawlClient",
                "PawlConfiguration",
                "PawlStore",
                "PawlWork",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // The page, as bytes of the program.
        .target(name: "CPawlPage"),
        .target(
            name: "PawlServer",
            dependencies: [
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                "Pawl",
                "PawlArchive",
                "PawlJobs",
                "PawlAria2",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Service"])),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["Service"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Service"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Service"])),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["Service"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Service"])),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                "CPawlPage",
            ],
            exclude: ["API/openapi.json", "Page"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "pawld",
            dependencies: [
                "PawlServer",
                "PawlAria2",
                "PawlJobs",
                "Pawl",
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                "PawlOptions",
                "PawlConfiguration",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PawlTestKit",
            dependencies: [
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                "PawlStore",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: simulated
        ),
        .executableTarget(
            name: "ToggleExample", dependencies: ["Pawl", "PawlCore"], path: "Examples/Toggle", swiftSettings: settings),
        .executableTarget(
            name: "OnceExample", dependencies: ["Pawl", "PawlCore"], path: "Examples/Once", swiftSettings: settings),
        .executableTarget(
            name: "SegmentsExample", dependencies: ["Pawl", "PawlCore"], path: "Examples/Segments",
            swiftSettings: settings),
        .executableTarget(
            name: "ArchiveExample", dependencies: ["Pawl", "PawlArchive"], path: "Examples/Archive",
            swiftSettings: settings),
        .testTarget(name: "PawlCoreTests", dependencies: ["PawlCore", "PawlTestKit"], swiftSettings: settings),
        .testTarget(
            name: "PawlEngineTests",
            dependencies: ["PawlCore", "PawlEngine", "PawlTestKit"],
            exclude: ["Sessions"],
            swiftSettings: simulated
        ),
        .testTarget(
            name: "PawlTests",
            dependencies: [
                "Pawl",
                "PawlCore",
                "PawlEngine",
                "PawlSystem",
                "PawlTestKit",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlFoundationTests",
            dependencies: ["PawlFoundation", "Pawl", "PawlCore", "PawlTestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlMetalinkTests",
            dependencies: ["PawlMetalink", "Pawl", "PawlCore", "PawlTestKit"],
            exclude: ["Examples"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlArchiveTests",
            dependencies: ["PawlArchive", "Pawl", "PawlCore", "PawlTestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlOptionsTests", dependencies: ["PawlOptions", "PawlCore", "PawlTestKit"], swiftSettings: settings),
        .testTarget(
            name: "PawlStoreTests",
            dependencies: ["PawlStore", "Pawl", "PawlEngine", "PawlSystem", "PawlCore", "PawlTestKit"],
            swiftSettings: settings),
        .testTarget(
            name: "PawlWorkTests",
            dependencies: [
                "PawlWork", "PawlStore", "PawlJobs", "Pawl", "PawlSystem", "PawlEngine", "PawlCore", "PawlTestKit",
            ], swiftSettings: simulated),
        .testTarget(
            name: "PawlJobsTests",
            dependencies: [
                "PawlJobs", "PawlSystem", "PawlArchive", "PawlMetalink", "Pawl", "PawlEngine", "PawlCore",
                "PawlTestKit",
            ], swiftSettings: settings),
        .testTarget(
            name: "PawlAria2Tests", dependencies: ["PawlAria2", "PawlJobs", "PawlOptions", "Pawl", "PawlCore"],
            swiftSettings: settings),
        // Killed by tests.
        .executableTarget(
            name: "StoreWriter",
            dependencies: ["PawlServer", "PawlJobs", "PawlCore", "PawlEngine", "PawlSystem"],
            path: "Tests/StoreWriter",
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlServerTests",
            dependencies: [
                "PawlServer", "StoreWriter", "PawlAria2", "PawlJobs", "Pawl", "PawlCore", "PawlEngine", "PawlTestKit",
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlClientTests",
            dependencies: ["PawlClient", "PawlJobs", "Pawl", "PawlCore", "PawlEngine", "PawlTestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PawlCLITests",
            dependencies: [
                "PawlCLI",
                "PawlClient",
                "PawlConfiguration",
                "PawlOptions",
                "PawlJobs",
                "PawlArchive",
                "PawlMetalink",
                "Pawl",
                "PawlCore",
                "PawlEngine",
                "PawlTestKit",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FaultTests",
            dependencies: ["Pawl", "PawlCore", "PawlEngine", "PawlTestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "PawlTestKit", "PawlCLI", "PawlCore", "PawlEngine", "ToggleExample", "OnceExample", "SegmentsExample",
                "ArchiveExample",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The thread sanitizer runs the library's tests, and builds nothing else: not the service's database, which alone takes
// minutes.
if checksThreads {
    let checked = [
        "CPawl", "CPawlHash", "PawlCore", "PawlSystem", "PawlEngine", "Pawl", "CArchive", "PawlArchive", "CExpat",
        "PawlXML", "PawlStore", "PawlTestKit", "PawlTests", "PawlArchiveTests", "FaultTests",
    ]
    package.targets.removeAll { !checked.contains($0.name) }
    package.products.removeAll { !["Pawl", "PawlArchive"].contains($0.name) }
}
