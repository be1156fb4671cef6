#include "CArchive.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>

// What makes a handle or an entry; without one of them nothing else can be called.
#define CONSTRUCTORS(X) \
    X(struct archive_entry *, archive_entry_new) \
    X(struct archive *, archive_read_new) \
    X(struct archive *, archive_write_new)

// Result, name, parameters, arguments. The compiler compares each with the header of libarchive.
#define CALLS(X) \
    X(struct archive_entry *, archive_entry_clear, (struct archive_entry *entry), (entry)) \
    X(void, archive_entry_copy_pathname, (struct archive_entry *entry, const char *text), (entry, text)) \
    X(void, archive_entry_copy_symlink, (struct archive_entry *entry, const char *text), (entry, text)) \
    X(mode_t, archive_entry_filetype, (struct archive_entry *entry), (entry)) \
    X(void, archive_entry_free, (struct archive_entry *entry), (entry)) \
    X(const char *, archive_entry_hardlink, (struct archive_entry *entry), (entry)) \
    X(int, archive_entry_is_encrypted, (struct archive_entry *entry), (entry)) \
    X(time_t, archive_entry_mtime, (struct archive_entry *entry), (entry)) \
    X(int, archive_entry_mtime_is_set, (struct archive_entry *entry), (entry)) \
    X(const char *, archive_entry_pathname, (struct archive_entry *entry), (entry)) \
    X(mode_t, archive_entry_perm, (struct archive_entry *entry), (entry)) \
    X(void, archive_entry_set_mode, (struct archive_entry *entry, mode_t mode), (entry, mode)) \
    X(void, archive_entry_set_mtime, (struct archive_entry *entry, time_t seconds, long nanoseconds), (entry, seconds, nanoseconds)) \
    X(void, archive_entry_set_size, (struct archive_entry *entry, la_int64_t size), (entry, size)) \
    X(la_int64_t, archive_entry_size, (struct archive_entry *entry), (entry)) \
    X(int, archive_entry_size_is_set, (struct archive_entry *entry), (entry)) \
    X(const char *, archive_entry_symlink, (struct archive_entry *entry), (entry)) \
    X(const char *, archive_error_string, (struct archive *archive), (archive)) \
    X(la_int64_t, archive_filter_bytes, (struct archive *archive, int filter), (archive, filter)) \
    X(int, archive_filter_count, (struct archive *archive), (archive)) \
    X(int, archive_read_add_passphrase, (struct archive *archive, const char *text), (archive, text)) \
    X(int, archive_read_data_block, (struct archive *archive, const void **block, size_t *size, la_int64_t *offset), \
      (archive, block, size, offset)) \
    X(int, archive_read_free, (struct archive *archive), (archive)) \
    X(la_int64_t, archive_read_header_position, (struct archive *archive), (archive)) \
    X(int, archive_read_next_header, (struct archive *archive, struct archive_entry **entry), (archive, entry)) \
    X(int, archive_read_open, \
      (struct archive *archive, void *context, archive_open_callback *open, archive_read_callback *read, archive_close_callback *close), \
      (archive, context, open, read, close)) \
    X(int, archive_read_open1, (struct archive *archive), (archive)) \
    X(int, archive_read_set_callback_data, (struct archive *archive, void *context), (archive, context)) \
    X(int, archive_read_set_read_callback, (struct archive *archive, archive_read_callback *read), (archive, read)) \
    X(int, archive_read_set_seek_callback, (struct archive *archive, archive_seek_callback *seek), (archive, seek)) \
    X(int, archive_read_set_skip_callback, (struct archive *archive, archive_skip_callback *skip), (archive, skip)) \
    X(int, archive_read_support_filter_bzip2, (struct archive *archive), (archive)) \
    X(int, archive_read_support_filter_gzip, (struct archive *archive), (archive)) \
    X(int, archive_read_support_filter_xz, (struct archive *archive), (archive)) \
    X(int, archive_read_support_filter_zstd, (struct archive *archive), (archive)) \
    X(int, archive_read_support_format_7zip, (struct archive *archive), (archive)) \
    X(int, archive_read_support_format_raw, (struct archive *archive), (archive)) \
    X(int, archive_read_support_format_tar, (struct archive *archive), (archive)) \
    X(int, archive_read_support_format_zip_streamable, (struct archive *archive), (archive)) \
    X(int, archive_write_add_filter_bzip2, (struct archive *archive), (archive)) \
    X(int, archive_write_add_filter_gzip, (struct archive *archive), (archive)) \
    X(int, archive_write_add_filter_xz, (struct archive *archive), (archive)) \
    X(int, archive_write_add_filter_zstd, (struct archive *archive), (archive)) \
    X(int, archive_write_close, (struct archive *archive), (archive)) \
    X(la_ssize_t, archive_write_data, (struct archive *archive, const void *bytes, size_t count), (archive, bytes, count)) \
    X(int, archive_write_fail, (struct archive *archive), (archive)) \
    X(int, archive_write_free, (struct archive *archive), (archive)) \
    X(int, archive_write_header, (struct archive *archive, struct archive_entry *entry), (archive, entry)) \
    X(int, archive_write_open, \
      (struct archive *archive, void *context, archive_open_callback *open, archive_write_callback *write, archive_close_callback *close), \
      (archive, context, open, write, close)) \
    X(int, archive_write_set_bytes_in_last_block, (struct archive *archive, int count), (archive, count)) \
    X(int, archive_write_set_bytes_per_block, (struct archive *archive, int count), (archive, count)) \
    X(int, archive_write_set_filter_option, \
      (struct archive *archive, const char *module, const char *option, const char *value), (archive, module, option, value)) \
    X(int, archive_write_set_format_option, \
      (struct archive *archive, const char *module, const char *option, const char *value), (archive, module, option, value)) \
    X(int, archive_write_set_format_pax_restricted, (struct archive *archive), (archive)) \
    X(int, archive_write_set_format_zip, (struct archive *archive), (archive)) \
    X(int, archive_write_zip_set_compression_deflate, (struct archive *archive), (archive)) \
    X(int, archive_write_zip_set_compression_store, (struct archive *archive), (archive))

#define FIELD(result, name, ...) __typeof__(name) *name;

static struct {
    CONSTRUCTORS(FIELD)
    CALLS(FIELD)
} library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_loaded;

#define FIND(result, name, ...) && (*(void **)&library.name = dlsym(file, #name))

static int load(void) {
    // The version of the interface that the headers describe, since 2011.
    void *file = dlopen("libarchive.so.13", RTLD_LAZY | RTLD_LOCAL);
    if (!file) return 0;
    if (1 CONSTRUCTORS(FIND) CALLS(FIND)) return 1;
    dlclose(file);
    return 0;
}

// Tried again after a failure: too many files may have been open.
int carchive_is_available(void) {
    pthread_mutex_lock(&lock);
    if (!is_loaded) is_loaded = load();
    int result = is_loaded;
    pthread_mutex_unlock(&lock);
    return result;
}

// Hidden: a program that exports its symbols would have libarchive call these in place of its own.
#define HIDDEN __attribute__((visibility("hidden")))

#define CONSTRUCT(result, name) \
    HIDDEN result name(void) { return carchive_is_available() ? library.name() : NULL; }
#define CALL(result, name, parameters, arguments) \
    HIDDEN result name parameters { return library.name arguments; }

CONSTRUCTORS(CONSTRUCT)
CALLS(CALL)

#else

int carchive_is_available(void) { return 1; }

#endif
