#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "CPawl.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/resource.h>
#endif

void pawl_return_freed_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

void pawl_spare_address_space(void) {
#if defined(__GLIBC__)
    // mallopt(3): each thread reserves an arena of 64 MiB, up to eight for each processor.
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)4 << 30) mallopt(M_ARENA_MAX, 1);
#endif
}

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif

// By number and not by the library's wrapper: glibc has one since 2.28 only, musl since 1.2.5.
static int rename_with(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
#if defined(SYS_renameat2)
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int pawl_rename_exclusive(int from_directory, const char *from, int to_directory, const char *to) {
    return rename_with(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int pawl_makes_unnamed_durable(int directory) {
    struct statfs system;
    // statfs(2): ext2 to ext4, XFS, tmpfs. Not Btrfs, where a sync of a file without a name has recorded nothing of it before Linux 6.16,
    // and whatever else has not been looked at.
    return fstatfs(directory, &system) == 0 && (system.f_type == 0xEF53 || system.f_type == 0x58465342 || system.f_type == 0x01021994);
}

int pawl_open_unnamed(int directory, unsigned permissions) {
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, permissions);
}

int pawl_link_unnamed(int file, int directory, const char *name) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) == 0) return 0;
    // open(2): without /proc it takes a privilege, or Linux 6.10.
    if (errno != ENOENT) return -1;
    return linkat(file, "", directory, name, AT_EMPTY_PATH);
}

int pawl_fallocate(int file, int64_t size) {
    return fallocate(file, 0, 0, size);
}

// By number as well: glibc before 2.30 emulates it where the system lacks it, and would hide that from us.
ssize_t pawl_copy_range(int from, int to, int64_t offset, size_t count) {
#if defined(SYS_copy_file_range)
    int64_t read_at = offset, write_at = offset;
    return (ssize_t)syscall(SYS_copy_file_range, from, &read_at, to, &write_at, count, 0u);
#else
    errno = ENOSYS;
    return -1;
#endif
}

// fcntl(2): l_pid must be zero for these locks, and a zero l_len reaches to the end of the file wherever that comes to be.
static struct flock whole_file(short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

int pawl_lock_exclusive(int file) {
    struct flock lock = whole_file(F_WRLCK);
    return fcntl(file, F_OFD_SETLK, &lock);
}

int pawl_unlock(int file) {
    struct flock lock = whole_file(F_UNLCK);
    return fcntl(file, F_OFD_SETLK, &lock);
}

int pawl_is_locked(int file) {
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(file, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type == F_UNLCK ? 0 : 1;
}

int pawl_set_attribute(int file, const char *name, const void *value, size_t size) {
    return fsetxattr(file, name, value, size, 0);
}

ssize_t pawl_get_attribute(int file, const char *name, void *value, size_t size) {
    return fgetxattr(file, name, value, size);
}

int pawl_remove_attribute(int file, const char *name) {
    return fremovexattr(file, name);
}

int64_t pawl_next_data(int file, int64_t offset) {
    return lseek(file, offset, SEEK_DATA);
}

int64_t pawl_next_hole(int file, int64_t offset) {
    return lseek(file, offset, SEEK_HOLE);
}

// By number and with offsets into the kernel's `struct statx`: glibc declares both since 2.28 only, and musl's and the kernel's headers
// cannot be included together.
int pawl_creation_time(int file, int64_t *nanoseconds) {
#if defined(SYS_statx)
    unsigned char status[256];
    const uint32_t birth = 0x800; // STATX_BTIME
    uint32_t mask, fraction;
    int64_t seconds;
    if (syscall(SYS_statx, file, "", 0x1000 /* AT_EMPTY_PATH */, birth, status) != 0) return -1;
    memcpy(&mask, status, sizeof mask);
    memcpy(&seconds, status + 80, sizeof seconds);
    memcpy(&fraction, status + 88, sizeof fraction);
    if ((mask & birth) && seconds > 0 && seconds < INT64_MAX / 1000000000 - 1) {
        *nanoseconds = seconds * 1000000000 + fraction;
        return 0;
    }
    errno = ENOTSUP;
#else
    errno = ENOSYS;
#endif
    return -1;
}

// By number, as glibc has no wrapper before 2.43. The struct is the kernel's `open_how`, and the bits are its RESOLVE_NO_MAGICLINKS,
// RESOLVE_NO_SYMLINKS and RESOLVE_BENEATH: its header is younger than some systems this is compiled on.
int pawl_open_beneath(int directory, const char *path, int flags) {
#if defined(SYS_openat2)
    struct {
        uint64_t flags, mode, resolve;
    } how = {(uint64_t)(unsigned)flags, 0, 0x02 | 0x04 | 0x08};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int pawl_rename_exchange(int from_directory, const char *from, int to_directory, const char *to) {
    return rename_with(from_directory, from, to_directory, to, RENAME_EXCHANGE);
}

int pawl_sync_file_system(int file) {
    return syncfs(file);
}

int pawl_start_writing(int file, int64_t offset, int64_t count) {
    return sync_file_range(file, offset, count, SYNC_FILE_RANGE_WRITE);
}

#endif
