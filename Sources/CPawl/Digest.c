#include "CPawl.h"
#include "Library.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

// The functions are the same in OpenSSL 1.1, 3 and 4 (EVP_DigestInit(3)), so one program runs with whichever is installed.
static struct {
    void *(*context_new)(void);
    void (*context_free)(void *);
    int (*init)(void *, const void *, void *);
    int (*update)(void *, const void *, size_t);
    int (*final)(void *, unsigned char *, unsigned *);
    const void *(*functions[PAWL_DIGEST_COUNT])(void);
} crypto;

static struct library library = LIBRARY_INITIALIZER;

static int find_all(void *handle) {
    static const char *const functions[PAWL_DIGEST_COUNT] = {"EVP_sha512", "EVP_sha256", "EVP_sha1", "EVP_md5"};
    for (int kind = 0; kind < PAWL_DIGEST_COUNT; kind++) {
        if (!pawl_library_find(handle, functions[kind], &crypto.functions[kind])) return 0;
    }
    if (!pawl_library_find(handle, "EVP_MD_CTX_new", &crypto.context_new) ||
        !pawl_library_find(handle, "EVP_MD_CTX_free", &crypto.context_free) ||
        !pawl_library_find(handle, "EVP_DigestInit_ex", &crypto.init) ||
        !pawl_library_find(handle, "EVP_DigestUpdate", &crypto.update) ||
        !pawl_library_find(handle, "EVP_DigestFinal_ex", &crypto.final)) {
        return 0;
    }
    // OPENSSL_init_crypto(3): without OPENSSL_INIT_NO_ATEXIT, exit(3) frees what other threads are hashing with.
    int (*init_crypto)(uint64_t, const void *) = NULL;
    if (pawl_library_find(handle, "OPENSSL_init_crypto", &init_crypto)) init_crypto(0x00080000, NULL);
    return 1;
}

static int load(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so.4", "libcrypto.so"};
    static const int ways[] = {RTLD_NOLOAD, 0};
    // First the one that the process has already, so that it does not get two.
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
            if (pawl_library_open(names[name], ways[way], find_all)) return 1;
        }
    }
    return 0;
}

void *pawl_digest_begin(int kind) {
    if (!pawl_library_is_available(&library, load)) {
        errno = ENOENT;
        return NULL;
    }
    void *context = crypto.context_new();
    if (!context) {
        errno = ENOMEM;
        return NULL;
    }
    if (crypto.init(context, crypto.functions[kind](), NULL) == 1) return context;
    crypto.context_free(context);
    errno = ENOTSUP;
    return NULL;
}

int pawl_digest_update(void *context, const void *bytes, size_t count) {
    return crypto.update(context, bytes, count) == 1 ? 0 : -1;
}

int pawl_digest_end(void *context, unsigned char *digest) {
    return crypto.final(context, digest, NULL) == 1 ? 0 : -1;
}

void pawl_digest_free(void *context) {
    crypto.context_free(context);
}

#endif
