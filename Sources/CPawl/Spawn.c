#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "CPawl.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// linux/close_range.h, which is younger than some systems this is compiled on.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define CLOSE_RANGE_CLOEXEC_BIT (1u << 2)

// Between vfork(2) and execve(2) the child shares the memory of the parent, whose other threads run on and may hold
// any lock of the C library. So everything below that the child calls makes system calls and nothing else: no memory,
// no stdio, no opendir(3).

// getdents64(2).
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static void close_at_exec(int file) {
    int flags = fcntl(file, F_GETFD);
    if (flags >= 0) fcntl(file, F_SETFD, flags | FD_CLOEXEC);
}

// The number that a name in /proc/self/fd stands for; -1 for "." and "..".
static int number_of(const char *name) {
    int number = 0;
    if (*name < '0' || *name > '9') return -1;
    for (; *name >= '0' && *name <= '9'; name++) number = number * 10 + (*name - '0');
    return number;
}

static int close_listed_at_exec(int first) {
    _Alignas(struct directory_entry) char entries[4096];
    int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return -1;
    long count;
    while ((count = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0) {
        for (long at = 0; at < count;) {
            const struct directory_entry *entry = (const struct directory_entry *)(entries + at);
            int number = number_of(entry->name);
            if (number >= first) close_at_exec(number);
            at += entry->length;
        }
    }
    close(directory);
    return count < 0 ? -1 : 0;
}

// The child's own table: what other threads of the parent open from now on is not in it.
static void close_from_at_exec(int first, int avoids_close_range) {
    if (!avoids_close_range && syscall(SYS_close_range, (unsigned)first, ~0u, CLOSE_RANGE_CLOEXEC_BIT) == 0) return;
    if (close_listed_at_exec(first) == 0) return;
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 20 ? (int)limit.rlim_cur : 1 << 20;
    for (int file = first; file < end; file++) close_at_exec(file);
}

// A handler must not run in the child, which would change the parent's memory.
static void use_default_signals(void) {
    struct sigaction ordinary;
    memset(&ordinary, 0, sizeof ordinary);
    ordinary.sa_handler = SIG_DFL;
    for (int number = 1; number < 65; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_DFL) continue;
        int is_inherited = action.sa_handler == SIG_IGN && number != SIGPIPE && number != SIGXFSZ;
        if (!is_inherited) sigaction(number, &ordinary, NULL);
    }
}

// Returns only when it fails.
static int become(
    const char *path, char *const *words, char *const *environment, int leads_group, int avoids_close_range) {
    use_default_signals();
    if (leads_group && setpgid(0, 0) != 0) return errno;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return errno;
    close_from_at_exec(STDERR_FILENO + 1, avoids_close_range);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(path, words, environment);
    return errno;
}

int pawl_spawn(
    pid_t *child, const char *path, char *const *words, char *const *environment, int leads_group,
    int avoids_close_range) {
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &former);
    // Written by the child, in memory that both have.
    volatile int failure = 0;
    pid_t started = vfork();
    if (started == 0) {
        failure = become(path, words, environment, leads_group, avoids_close_range);
        _exit(127);
    }
    int code = started < 0 ? errno : failure;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (started > 0 && code != 0) {
        while (waitpid(started, NULL, 0) < 0 && errno == EINTR) {}
    }
    *child = started;
    return code;
}

#endif
