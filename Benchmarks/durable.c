/* Gives the files of a directory their names in another one, whole and durable, in groups: the least a program can do.
 * A group is written into files without names, synced, named and synced again, as Pawl does it.
 *
 *   cc -O2 -o durable durable.c
 *   durable [-g GROUP] [-s] FROM TO
 *
 * With -s a group is synced by syncfs, else file by file, once all of its writes have begun. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "durable: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void sync_group(const int *files, int count, int directory, int uses_syncfs, int is_named) {
    if (uses_syncfs) {
        if (syncfs(directory) != 0) fail("syncfs");
        return;
    }
    for (int i = 0; i < count; i++)
        if (sync_file_range(files[i], 0, 0, SYNC_FILE_RANGE_WRITE) != 0) fail("sync_file_range");
    for (int i = 0; i < count; i++)
        if (fsync(files[i]) != 0) fail("fsync");
    if (is_named && fsync(directory) != 0) fail("fsync");
}

static void finish_group(const int *files, char names[][256], int count, int directory, int uses_syncfs) {
    sync_group(files, count, directory, uses_syncfs, 0);
    for (int i = 0; i < count; i++) {
        char path[32];
        snprintf(path, sizeof path, "/proc/self/fd/%d", files[i]);
        if (linkat(AT_FDCWD, path, directory, names[i], AT_SYMLINK_FOLLOW) != 0) fail("linkat");
    }
    sync_group(files, count, directory, uses_syncfs, 1);
    for (int i = 0; i < count; i++) close(files[i]);
}

int main(int argc, char **argv) {
    enum { LARGEST = 128 };
    static char bytes[1 << 20], names[LARGEST][256];
    int files[LARGEST], group = 32, uses_syncfs = 0, count = 0, option;
    while ((option = getopt(argc, argv, "g:s")) != -1) {
        if (option == 'g') group = atoi(optarg);
        if (option == 's') uses_syncfs = 1;
    }
    if (argc - optind != 2 || group < 1 || group > LARGEST) {
        fprintf(stderr, "usage: durable [-g GROUP] [-s] FROM TO\n");
        return 64;
    }
    DIR *from = opendir(argv[optind]);
    int directory = open(argv[optind + 1], O_RDONLY | O_DIRECTORY);
    if (!from || directory < 0) fail("open");
    for (struct dirent *entry; (entry = readdir(from));) {
        if (entry->d_name[0] == '.') continue;
        int source = openat(dirfd(from), entry->d_name, O_RDONLY);
        ssize_t size = source < 0 ? -1 : read(source, bytes, sizeof bytes);
        if (size < 0) fail(entry->d_name);
        close(source);
        files[count] = openat(directory, ".", O_TMPFILE | O_RDWR, 0644);
        if (files[count] < 0 || write(files[count], bytes, (size_t)size) != size) fail("write");
        strcpy(names[count++], entry->d_name);
        if (count < group) continue;
        finish_group(files, names, count, directory, uses_syncfs);
        count = 0;
    }
    finish_group(files, names, count, directory, uses_syncfs);
    return 0;
}
