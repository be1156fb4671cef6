import PawlCore
import PawlEngine

extension StorageConformance {
    func ownerStaysTheSame() throws {
        try expectEqual(storage.owner, storage.owner, "the owner, asked again,")
        try expect(storage.owner.processID > 0, "the owner has no process id")
    }

    func openDirectoryRefusesOtherPaths() throws {
        _ = try makeFile("file", [], in: openDirectory())
        try expectError(.notFound, "opening a directory that is missing") {
            _ = try storage.openDirectory(path + "/missing")
        }
        try expectError(.notADirectory, "opening a file as a directory") {
            _ = try storage.openDirectory(path + "/file")
        }
    }

    func directoryReportsItsProperties() throws {
        let directory = try openDirectory()
        try expectEqual(directory.path, path, "the path")
        try expect(directory.availableBytes() > 0, "no space is available")
        let permissions = directory.newFilePermissions
        try expect(permissions & ~0o666 == 0, "new files would have permissions beyond 0666: \(permissions)")
    }

    func namesAreSingleComponents() throws {
        let directory = try openDirectory()
        _ = try makeFile("file", [], in: directory)
        try install(.directory, "folder")
        for name in ["", ".", "..", "folder/file", "/file", "../file", "file/", "file\0", "\0"] {
            let shown = name.debugDescription
            try expectError("creating \(shown)") { _ = try directory.create(name) }
            try expectError("opening \(shown)") { _ = try directory.open(name, writable: false) }
            try expectError("the status of \(shown)") { _ = try directory.status(name) }
            try expectError("renaming \(shown)") { try directory.rename(name, to: "new", replacing: true) }
            try expectError("renaming to \(shown)") { try directory.rename("file", to: name, replacing: true) }
        }
        try expectEqual(Set(directory.names()), ["file", "folder"], "the names")
    }

    func longNamesAreRefused() throws {
        let directory = try openDirectory()
        let longest = String(repeating: "n", count: 255)
        _ = try directory.create(longest)
        try expectError(.nameTooLong, "creating a name of 256 bytes") { _ = try directory.create(longest + "n") }
        try expectError(.nameTooLong, "renaming to a name of 256 bytes") {
            try directory.rename(longest, to: longest + "n", replacing: false)
        }
    }

    func createdFileIsEmptyAndPrivate() throws {
        let directory = try openDirectory()
        let file = try directory.create("file")
        let status = try file.status()
        try expectEqual(status.kind, .regular, "the kind")
        try expectEqual(status.size, 0, "the size")
        try expectEqual(status.linkCount, 1, "the link count")
        try expectEqual(status.permissions, 0o600, "the permissions")
        try expectEqual(directory.status("file")?.identity, status.identity, "the identity by name")
        let other = try directory.create("other")
        try expect(other.status().identity != status.identity, "two files have one identity")
    }

    func createRefusesTakenNames() throws {
        let directory = try openDirectory()
        _ = try makeFile("file", [1, 2, 3], in: directory)
        try install(.directory, "folder")
        try install(.symbolicLink, "link")
        try install(.other, "fifo")
        for name in ["file", "folder", "link", "fifo"] {
            try expectError(.exists, "creating the taken name \(name)") { _ = try directory.create(name) }
        }
        try expectEqual(contents(of: "file", in: directory), [1, 2, 3], "the file of the taken name")
    }

    /// Checks unnamed files, where the system has them.
    func unnamedFileGetsOneName() throws {
        let directory = try openDirectory()
        _ = try makeFile("taken", [9], in: directory)
        guard let file = try directory.createUnnamed() else { return }
        try file.write([1, 2, 3], at: 0)
        try expectEqual(directory.names(), ["taken"], "the names beside a file without one")
        try expectEqual(file.status().permissions, directory.newFilePermissions, "the permissions")
        try expectError(.exists, "naming it like another") { _ = try directory.link(file, to: "taken") }
        for name in ["", ".", "..", "a/b", "a\0"] {
            try expectError("naming it \(name.debugDescription)") { _ = try directory.link(file, to: name) }
        }
        guard try directory.link(file, to: "file") else { return }
        try expectEqual(contents(of: "file", in: directory), [1, 2, 3], "the file by its name")
        try expectEqual(directory.status("file")?.identity, file.status().identity, "the identity by its name")
        try expectEqual(contents(of: "taken", in: directory), [9], "the other file")
        try file.close()
        try expectEqual(Set(directory.names()), ["taken", "file"], "the names")
    }

    func openRefusesOtherKindsOfFiles() throws {
        let directory = try openDirectory()
        try install(.directory, "folder")
        try install(.symbolicLink, "link")
        try install(.other, "fifo")
        for writable in [false, true] {
            let how = writable ? "for writing" : "for reading"
            try expectError(.notFound, "opening a missing name \(how)") {
                _ = try directory.open("missing", writable: writable)
            }
            try expectError(.isADirectory, "opening a directory \(how)") {
                _ = try directory.open("folder", writable: writable)
            }
            try expectError(.symbolicLink, "opening a symbolic link \(how)") {
                _ = try directory.open("link", writable: writable)
            }
            try expectError(.notSupported, "opening a FIFO \(how)") {
                _ = try directory.open("fifo", writable: writable)
            }
        }
    }

    func statusFollowsNoLink() throws {
        let directory = try openDirectory()
        try expect(directory.status("missing") == nil, "a missing name has a status")
        try install(.directory, "folder")
        try install(.symbolicLink, "link")
        try install(.other, "fifo")
        try expectEqual(directory.status("folder")?.kind, .directory, "the kind of a directory")
        try expectEqual(directory.status("link")?.kind, .symbolicLink, "the kind of a link")
        try expectEqual(directory.status("fifo")?.kind, .other, "the kind of a FIFO")
        _ = try makeFile("file", [1, 2, 3], in: directory)
        try expectEqual(directory.status("file")?.size, 3, "the size of a file")
    }

    func namesListEveryEntry() throws {
        let directory = try openDirectory()
        try expectEqual(directory.names(), [], "the names of an empty directory")
        let names = ["a", "b", "c d", "é", "日本"]
        for name in names { _ = try directory.create(name) }
        try expectEqual(Set(directory.names()), Set(names), "the names")
        try expectEqual(directory.names().count, names.count, "the number of names, listed again,")
    }

    func renameKeepsTheFile() throws {
        let directory = try openDirectory()
        let file = try makeFile("old", [1, 2, 3], in: directory)
        let identity = try file.status().identity
        try directory.rename("old", to: "new", replacing: false)
        try expect(directory.status("old") == nil, "the old name is still there")
        try expectEqual(directory.status("new")?.identity, identity, "the identity under the new name")
        try file.write([4], at: 3)
        try expectEqual(contents(of: "new", in: directory), [1, 2, 3, 4], "the file, written to after its renaming,")
        for replacing in [false, true] {
            try expectError(.notFound, "renaming a missing name") {
                try directory.rename("old", to: "newer", replacing: replacing)
            }
        }
    }

    func renameRefusesTakenNames() throws {
        let directory = try openDirectory()
        _ = try makeFile("file", [1], in: directory)
        _ = try makeFile("taken", [2], in: directory)
        try install(.directory, "folder")
        try install(.symbolicLink, "link")
        for name in ["taken", "folder", "link"] {
            try expectError(.exists, "renaming to the taken name \(name)") {
                try directory.rename("file", to: name, replacing: false)
            }
        }
        try expectError(.isADirectory, "replacing a directory") {
            try directory.rename("file", to: "folder", replacing: true)
        }
        try expectEqual(contents(of: "file", in: directory), [1], "the file that was not renamed")
        try expectEqual(contents(of: "taken", in: directory), [2], "the file of the taken name")
    }

    func renameReplacesOnDemand() throws {
        let directory = try openDirectory()
        _ = try makeFile("file", [1], in: directory)
        let replaced = try makeFile("taken", [2], in: directory)
        try directory.rename("file", to: "taken", replacing: true)
        try expectEqual(directory.names(), ["taken"], "the names")
        try expectEqual(contents(of: "taken", in: directory), [1], "the file under the new name")
        try expectEqual(replaced.read(1, at: 0), [2], "the replaced file, still open,")
        try expectEqual(replaced.status().linkCount, 0, "the link count of the replaced file")
    }

    func renameReplacesLinksThemselves() throws {
        let directory = try openDirectory()
        _ = try makeFile("file", [1], in: directory)
        try install(.symbolicLink, "link")
        try directory.rename("file", to: "link", replacing: true)
        try expectEqual(directory.status("link")?.kind, .regular, "the kind of what replaced the link")
        try expectEqual(directory.names(), ["link"], "the names")
    }

    func removeChecksTheIdentity() throws {
        let directory = try openDirectory()
        let file = try makeFile("file", [1], in: directory).status().identity
        let other = try makeFile("other", [2], in: directory).status().identity
        try expectError(.exists, "removing a name that is another file") {
            try directory.remove("file", ifStill: other)
        }
        try expectEqual(contents(of: "file", in: directory), [1], "the file that was not meant")
        try directory.remove("file", ifStill: file)
        try expectEqual(directory.names(), ["other"], "the names")
        try directory.remove("file", ifStill: file)
    }

    func removedFileStaysUsableWhileOpen() throws {
        let directory = try openDirectory()
        let file = try makeFile("file", [1, 2, 3], in: directory)
        try directory.remove("file", ifStill: file.status().identity)
        try expectEqual(file.status().linkCount, 0, "the link count")
        try file.write([4], at: 3)
        try expectEqual(file.read(4, at: 0), [1, 2, 3, 4], "the removed file, still open,")
    }
}
