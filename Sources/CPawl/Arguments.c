#include "CPawl.h"

#include <stddef.h>

// Taken before main(). Swift's CommandLine reads /proc, which may be missing, or looks before environ, which moves when a variable is set.
static int count;
static char **words;

int pawl_argument_count(void) { return count; }

const char *const *pawl_arguments(void) { return (const char *const *)words; }

#if defined(__APPLE__) || defined(__GLIBC__)

// dyld(1) and glibc call constructors as they call main().
__attribute__((constructor)) static void remember(int argument_count, char **arguments, char **environment) {
    (void)environment;
    count = argument_count;
    words = arguments;
}

#else

#include <stdint.h>

extern char **environ;
extern char *program_invocation_name;

// Farther than this from the text of the first argument, environ has been moved to the heap.
static const uintptr_t reach = 16 << 20;

// musl calls them with nothing. The kernel puts the number of arguments, the arguments, a null and the environment below the texts of all,
// and environ points to the last of these until something sets a variable. The C library has kept the pointer to the first argument.
__attribute__((constructor)) static void remember(void) {
    uintptr_t place = (uintptr_t)environ;
    uintptr_t text = (uintptr_t)program_invocation_name;
    if (text <= place || text - place > reach || environ[-1]) return;
    for (intptr_t found = 0; found < 1 << 20; found++) {
        char **first = environ - 1 - found;
        if ((intptr_t)first[-1] != found) continue;
        if (found > 0 && *first == program_invocation_name) {
            count = (int)found;
            words = first;
        }
        return;
    }
}

#endif

#if defined(__linux__)

#include <sys/auxv.h>

const char *pawl_executed_path(void) { return (const char *)getauxval(AT_EXECFN); }

#endif
