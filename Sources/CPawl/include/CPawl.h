// The Linux system calls that Swift's Glibc and Musl modules leave out, because the C library declares them only for _GNU_SOURCE
// (renameat2, fallocate, open file description locks) or in a header outside the module (sys/xattr.h).
//
// Each function behaves like the call it stands for: a negative result means failure, with the reason in errno. None retries.
// On Apple systems the Darwin module has all of these.

#ifndef CPAWL_H
#define CPAWL_H

/// The number of arguments that the process was started with, its name included; 0 where they could not be taken.
int pawl_argument_count(void);

/// The arguments as bytes, each ending with a NUL; NULL where they could not be taken.
const char *const *pawl_arguments(void);

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// getauxval(3) with AT_EXECFN: the path that execve(2) was given for this program; NULL where the kernel does not tell.
const char *pawl_executed_path(void);

/// renameat2(2) with RENAME_NOREPLACE.
int pawl_rename_exclusive(int from_directory, const char *from, int to_directory, const char *to);

/// statfs(2): 1 where the file system is one on which a sync makes files without a name durable, 0 elsewhere.
int pawl_makes_unnamed_durable(int directory);

/// open(2) with O_TMPFILE: a file without a name, for reading and writing.
int pawl_open_unnamed(int directory, unsigned permissions);

/// linkat(2): gives such a file a name. ENOENT or EPERM where neither /proc nor a privilege allows it.
int pawl_link_unnamed(int file, int directory, const char *name);

/// fallocate(2) in its default mode, from offset 0: reserves blocks and extends the file, never shortens it.
int pawl_fallocate(int file, int64_t size);

/// copy_file_range(2), at the same offset in both files. May copy less than it was asked to.
ssize_t pawl_copy_range(int from, int to, int64_t offset, size_t count);

/// fcntl(2) F_OFD_SETLK: an exclusive lock on the whole file, owned by the open file description.
int pawl_lock_exclusive(int file);

/// fcntl(2) F_OFD_SETLK: gives back the lock of ``pawl_lock_exclusive``, for all copies of the descriptor.
int pawl_unlock(int file);

/// fcntl(2) F_OFD_GETLK: 1 when another open file description has a lock that an exclusive one would meet, 0 when
/// none has.
int pawl_is_locked(int file);

/// malloc_trim(3), where the C library has it.
void pawl_return_freed_memory(void);

/// Where the address space of the process is limited, has the allocator reserve little of it. To be called before a second thread begins.
void pawl_spare_address_space(void);

/// fsetxattr(2).
int pawl_set_attribute(int file, const char *name, const void *value, size_t size);

/// fgetxattr(2).
ssize_t pawl_get_attribute(int file, const char *name, void *value, size_t size);

/// fremovexattr(2).
int pawl_remove_attribute(int file, const char *name);

/// lseek(2) with SEEK_DATA and SEEK_HOLE.
int64_t pawl_next_data(int file, int64_t offset);
int64_t pawl_next_hole(int file, int64_t offset);

/// statx(2): when the file was created, in nanoseconds since 1970. ENOTSUP where the file system does not record it.
int pawl_creation_time(int file, int64_t *nanoseconds);

/// openat2(2) with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS: no part of `path` is a link, and none leads out of
/// `directory`. ENOSYS before Linux 5.6, EPERM in some sandboxes.
int pawl_open_beneath(int directory, const char *path, int flags);

/// renameat2(2) with RENAME_EXCHANGE: both exist, and each gets the other's name in one step.
int pawl_rename_exchange(int from_directory, const char *from, int to_directory, const char *to);

/// syncfs(2).
int pawl_sync_file_system(int file);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: has the system begin to write, and does not wait.
int pawl_start_writing(int file, int64_t offset, int64_t count);

/// Starts a program that reads nothing and prints to our standard error. No descriptor above 2 reaches it, not even
/// one that another thread opens while this runs. No signal is blocked in it, and SIGPIPE and SIGXFSZ, which Pawl
/// ignores, have their default action; what Pawl was started ignoring stays ignored, as `nohup` asks.
///
/// posix_spawn(3) can do the former only with glibc 2.34 and later. Other than the calls above it answers 0 or an
/// error number.
///
/// - Parameter leads_group: puts it in a process group of its own, which no key of our terminal sends a signal to.
/// - Parameter avoids_close_range: takes the way of systems before Linux 5.11, for tests.
int pawl_spawn(
    pid_t *child, const char *path, char *const *words, char *const *environment, int leads_group,
    int avoids_close_range);

/// Hands each part of a Swift task that is ready to `take`, which is to have it run by `pawl_run_task` once, on any thread. To be called before
/// the first task.
///
/// Returns 0 where the runtime has no hook for that; its own threads run the tasks then.
int pawl_take_tasks(void (*take)(void *job));

void pawl_run_task(void *job);

/// The digest functions of the system's libcrypto (EVP_DigestInit(3)), which is loaded by the first call.
enum { PAWL_DIGEST_SHA512, PAWL_DIGEST_SHA256, PAWL_DIGEST_SHA1, PAWL_DIGEST_MD5, PAWL_DIGEST_COUNT };

/// Returns a context for one digest; NULL with ENOENT where the system has no libcrypto, ENOTSUP where that refuses the function, as in FIPS
/// mode, or ENOMEM.
void *pawl_digest_begin(int kind);

int pawl_digest_update(void *context, const void *bytes, size_t count);

/// Writes the digest, for which `digest` has to have 64 bytes. The context is used up, and has to be freed all the same.
int pawl_digest_end(void *context, unsigned char *digest);

void pawl_digest_free(void *context);

/// idn2_lookup_u8(3) of the system's libidn2, which is loaded by the first call: writes the name of a host, in UTF-8, as DNS has it.
///
/// Returns 0 or an error number: ENOENT where the system has no libidn2, EINVAL for a name that is not valid, with the reason in `problem`, or
/// ENAMETOOLONG. Characters that mean something in a URL may come of a mapping, and have to be looked for in `ascii`.
int pawl_host_to_ascii(const char *host, char *ascii, size_t size, const char **problem);

#endif

#endif
