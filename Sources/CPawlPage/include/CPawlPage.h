#ifndef C_PAWL_PAGE_H
#define C_PAWL_PAGE_H

struct CPawlPageFile {
    /// Relative to the page.
    const char *path;
    const unsigned char *bytes;
    unsigned long count;
};

extern const int c_pawl_page_count;

/// - Parameter index: below the count.
struct CPawlPageFile c_pawl_page_file(int index);

#endif
