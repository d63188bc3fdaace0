/* A VFS of SQLite that gives every page a checksum; `reference/pages.py` says the same in Python, and what for.

   Only what the two functions of SQLite need that are used here is declared: the layouts below are part of its stable
   interface, and no header of SQLite has to be there when this is compiled. */

#include "../../logs/_crc.h"
#include <stdlib.h>

enum { MI_PAGE = 32768, MI_CHECK = 8, MI_CONTENT = MI_PAGE - MI_CHECK, MI_LOG_HEADER = 32, MI_FRAME_HEADER = 24 };
enum { MI_FRAME = MI_FRAME_HEADER + MI_PAGE };
enum { MI_OK = 0, MI_NO_MEMORY = 7, MI_CORRUPT = 11, MI_BAD_WRITE = 10 | 3 << 8, MI_SHORT_READ = 10 | 2 << 8 };
enum { MI_MAIN_DATABASE = 0x100, MI_LOG = 0x80000 };
enum { MI_BATCH_ATOMIC = 0x4000, MI_PARTIAL_READS = 0x8000 };

typedef struct mi_file mi_file;
typedef struct mi_vfs mi_vfs;

typedef struct {
    int version;
    int (*close)(mi_file *);
    int (*read)(mi_file *, void *, int, int64_t);
    int (*write)(mi_file *, const void *, int, int64_t);
    int (*truncate)(mi_file *, int64_t);
    int (*sync)(mi_file *, int);
    int (*file_size)(mi_file *, int64_t *);
    int (*lock)(mi_file *, int);
    int (*unlock)(mi_file *, int);
    int (*check_reserved_lock)(mi_file *, int *);
    int (*file_control)(mi_file *, int, void *);
    int (*sector_size)(mi_file *);
    int (*device_characteristics)(mi_file *);
    int (*shm_map)(mi_file *, int, int, int, void volatile **);
    int (*shm_lock)(mi_file *, int, int, int);
    void (*shm_barrier)(mi_file *);
    int (*shm_unmap)(mi_file *, int);
} mi_methods;

struct mi_file { const mi_methods *methods; };

struct mi_vfs {
    int version, file_bytes, longest_path;
    mi_vfs *next;
    const char *name;
    void *data;
    int (*open)(mi_vfs *, const char *, mi_file *, int, int *);
    int (*delete)(mi_vfs *, const char *, int);
    int (*access)(mi_vfs *, const char *, int, int *);
    int (*full_path)(mi_vfs *, const char *, int, char *);
    void *(*dl_open)(mi_vfs *, const char *);
    void (*dl_error)(mi_vfs *, int, char *);
    void (*(*dl_symbol)(mi_vfs *, void *, const char *))(void);
    void (*dl_close)(mi_vfs *, void *);
    int (*randomness)(mi_vfs *, int, char *);
    int (*sleep)(mi_vfs *, int);
    int (*current_time)(mi_vfs *, double *);
    int (*last_error)(mi_vfs *, int, char *);
    int (*current_time_int64)(mi_vfs *, int64_t *);
};

typedef struct {
    mi_file base;
    uint8_t *scratch;  /* of one page */
} mi_checked;  /* the real file follows it */

#define MI_REAL(file) ((mi_file *)((mi_checked *)(file) + 1))
#define MI_SCRATCH(file) (((mi_checked *)(file))->scratch)

static const uint8_t mi_mark[4] = {'M', 'I', 'c', 'k'};

static void mi_put_check(uint8_t *page, uint32_t number) {
    uint32_t check = MI_LITTLE32(mi_crc_long(number, page, MI_CONTENT));
    memcpy(page + MI_CONTENT, &check, 4);
    memcpy(page + MI_CONTENT + 4, mi_mark, 4);
}

static int mi_is_intact(const uint8_t *page, uint32_t number) {
    return memcmp(page + MI_CONTENT + 4, mi_mark, 4) == 0 &&
           mi_load32(page + MI_CONTENT) == mi_crc_long(number, page, MI_CONTENT);
}

/* One page, without its checksum; it is read again before it is called damaged. */
static int mi_read_page(mi_file *file, uint8_t *page, int64_t offset, uint32_t number) {
    int result = MI_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        result = MI_REAL(file)->methods->read(MI_REAL(file), page, MI_PAGE, offset);
        if (result == MI_OK && mi_is_intact(page, number)) {
            memset(page + MI_CONTENT, 0, MI_CHECK);
            return MI_OK;
        }
    }
    return MI_CORRUPT;
}

static int mi_write_page(mi_file *file, const void *page, int64_t offset, uint32_t number) {
    uint8_t *copy = MI_SCRATCH(file);
    memcpy(copy, page, MI_CONTENT);
    mi_put_check(copy, number);
    return MI_REAL(file)->methods->write(MI_REAL(file), copy, MI_PAGE, offset);
}

static int mi_read_database(mi_file *file, void *out, int amount, int64_t offset) {
    if (amount == MI_PAGE && offset % MI_PAGE == 0)
        return mi_read_page(file, out, offset, (uint32_t)(offset / MI_PAGE));
    while (amount > 0) {  /* a part of a page: the header before anything else is known, or a long value */
        int64_t page = offset / MI_PAGE;
        int begin = (int)(offset % MI_PAGE), size = MI_PAGE - begin < amount ? MI_PAGE - begin : amount;
        int result = mi_read_page(file, MI_SCRATCH(file), page * MI_PAGE, (uint32_t)page);
        if (result != MI_OK) return result;
        memcpy(out, MI_SCRATCH(file) + begin, size);
        out = (uint8_t *)out + size;
        offset += size;
        amount -= size;
    }
    return MI_OK;
}

static int mi_write_database(mi_file *file, const void *data, int amount, int64_t offset) {
    if (amount != MI_PAGE || offset % MI_PAGE) return MI_BAD_WRITE;
    return mi_write_page(file, data, offset, (uint32_t)(offset / MI_PAGE));
}

static int mi_read_log(mi_file *file, void *out, int amount, int64_t offset) {
    int64_t at = offset - MI_LOG_HEADER;
    int64_t inside = at < 0 ? -1 : at % MI_FRAME;
    uint32_t number = at < 0 ? 0 : (uint32_t)(at / MI_FRAME);
    if (inside == MI_FRAME_HEADER && amount == MI_PAGE) return mi_read_page(file, out, offset, number);
    if (inside >= 0 && inside + amount > MI_FRAME_HEADER && (inside || amount != MI_FRAME)) return MI_CORRUPT;
    int result = MI_REAL(file)->methods->read(MI_REAL(file), out, amount, offset);
    if (result == MI_OK && inside == 0 && amount == MI_FRAME) {
        /* Frames are read as a whole to find the end of the log after a crash. One that is not intact stays as it is:
           SQLite's own checksum, which was made without ours, ends the log there. */
        uint8_t *page = (uint8_t *)out + MI_FRAME_HEADER;
        if (mi_is_intact(page, number)) memset(page + MI_CONTENT, 0, MI_CHECK);
    }
    return result;
}

static int mi_write_log(mi_file *file, const void *data, int amount, int64_t offset) {
    int64_t at = offset - MI_LOG_HEADER;
    if (at >= 0 && at % MI_FRAME == MI_FRAME_HEADER && amount == MI_PAGE)
        return mi_write_page(file, data, offset, (uint32_t)(at / MI_FRAME));
    if (at >= 0 && at % MI_FRAME + amount > MI_FRAME_HEADER) return MI_BAD_WRITE;
    return MI_REAL(file)->methods->write(MI_REAL(file), data, amount, offset);
}

#define MI_FORWARD(file, method, ...) return MI_REAL(file)->methods->method(MI_REAL(file), ##__VA_ARGS__)
static int mi_close(mi_file *file) {
    free(MI_SCRATCH(file));
    MI_FORWARD(file, close);
}
static int mi_truncate(mi_file *file, int64_t size) { MI_FORWARD(file, truncate, size); }
static int mi_sync(mi_file *file, int flags) { MI_FORWARD(file, sync, flags); }
static int mi_file_size(mi_file *file, int64_t *size) { MI_FORWARD(file, file_size, size); }
static int mi_lock(mi_file *file, int level) { MI_FORWARD(file, lock, level); }
static int mi_unlock(mi_file *file, int level) { MI_FORWARD(file, unlock, level); }
static int mi_reserved(mi_file *file, int *out) { MI_FORWARD(file, check_reserved_lock, out); }
static int mi_control(mi_file *file, int what, void *data) { MI_FORWARD(file, file_control, what, data); }
static int mi_sector_size(mi_file *file) { MI_FORWARD(file, sector_size); }
static int mi_characteristics(mi_file *file) {
    int all = MI_REAL(file)->methods->device_characteristics(MI_REAL(file));
    return all & ~(MI_BATCH_ATOMIC | MI_PARTIAL_READS);
}
static int mi_shm_map(mi_file *file, int region, int size, int extend, void volatile **out) {
    MI_FORWARD(file, shm_map, region, size, extend, out);
}
static int mi_shm_lock(mi_file *file, int offset, int n, int flags) { MI_FORWARD(file, shm_lock, offset, n, flags); }
static void mi_shm_barrier(mi_file *file) { MI_REAL(file)->methods->shm_barrier(MI_REAL(file)); }
static int mi_shm_unmap(mi_file *file, int delete_it) { MI_FORWARD(file, shm_unmap, delete_it); }

/* Version 2: pages are never mapped past the checks. */
#define MI_METHODS(read, write) {2, mi_close, read, write, mi_truncate, mi_sync, mi_file_size, mi_lock, mi_unlock, \
    mi_reserved, mi_control, mi_sector_size, mi_characteristics, mi_shm_map, mi_shm_lock, mi_shm_barrier, mi_shm_unmap}
static const mi_methods mi_database_methods = MI_METHODS(mi_read_database, mi_write_database);
static const mi_methods mi_log_methods = MI_METHODS(mi_read_log, mi_write_log);

#define MI_BELOW(vfs) ((mi_vfs *)(vfs)->data)

static int mi_open(mi_vfs *vfs, const char *path, mi_file *file, int flags, int *out_flags) {
    mi_vfs *below = MI_BELOW(vfs);
    if (!(flags & (MI_MAIN_DATABASE | MI_LOG))) return below->open(below, path, file, flags, out_flags);
    uint8_t *scratch = malloc(MI_PAGE);
    file->methods = NULL;
    if (scratch == NULL) return MI_NO_MEMORY;
    int result = below->open(below, path, MI_REAL(file), flags, out_flags);
    if (MI_REAL(file)->methods == NULL) {
        free(scratch);
        return result;
    }
    MI_SCRATCH(file) = scratch;
    file->methods = flags & MI_LOG ? &mi_log_methods : &mi_database_methods;
    return result;
}

static int mi_delete(mi_vfs *vfs, const char *path, int sync) {
    return MI_BELOW(vfs)->delete(MI_BELOW(vfs), path, sync);
}
static int mi_access(mi_vfs *vfs, const char *path, int flags, int *out) {
    return MI_BELOW(vfs)->access(MI_BELOW(vfs), path, flags, out);
}
static int mi_full_path(mi_vfs *vfs, const char *path, int size, char *out) {
    return MI_BELOW(vfs)->full_path(MI_BELOW(vfs), path, size, out);
}
static void *mi_dl_open(mi_vfs *vfs, const char *path) { return MI_BELOW(vfs)->dl_open(MI_BELOW(vfs), path); }
static void mi_dl_error(mi_vfs *vfs, int size, char *out) { MI_BELOW(vfs)->dl_error(MI_BELOW(vfs), size, out); }
static void (*mi_dl_symbol(mi_vfs *vfs, void *library, const char *name))(void) {
    return MI_BELOW(vfs)->dl_symbol(MI_BELOW(vfs), library, name);
}
static void mi_dl_close(mi_vfs *vfs, void *library) { MI_BELOW(vfs)->dl_close(MI_BELOW(vfs), library); }
static int mi_randomness(mi_vfs *vfs, int size, char *out) {
    return MI_BELOW(vfs)->randomness(MI_BELOW(vfs), size, out);
}
static int mi_sleep(mi_vfs *vfs, int microseconds) { return MI_BELOW(vfs)->sleep(MI_BELOW(vfs), microseconds); }
static int mi_time(mi_vfs *vfs, double *out) { return MI_BELOW(vfs)->current_time(MI_BELOW(vfs), out); }
static int mi_last_error(mi_vfs *vfs, int size, char *out) {
    return MI_BELOW(vfs)->last_error(MI_BELOW(vfs), size, out);
}
static int mi_time_int64(mi_vfs *vfs, int64_t *out) {
    return MI_BELOW(vfs)->current_time_int64(MI_BELOW(vfs), out);
}

/* Add the VFS to the SQLite library whose functions sqlite3_vfs_find and sqlite3_vfs_register these are. */
static int mi_register(void *find, void *add, const char *name) {
    mi_vfs *below = ((mi_vfs *(*)(const char *))find)(NULL);
    if (below == NULL || below->version < 2) return 0;
    mi_vfs *vfs = malloc(sizeof(mi_vfs));
    if (vfs == NULL) return 0;
    mi_crc_prepare();
    *vfs = (mi_vfs){
        2, (int)sizeof(mi_checked) + below->file_bytes, below->longest_path, NULL, name, below, mi_open, mi_delete,
        mi_access, mi_full_path, mi_dl_open, mi_dl_error, mi_dl_symbol, mi_dl_close, mi_randomness, mi_sleep, mi_time,
        mi_last_error, mi_time_int64};
    return ((int (*)(mi_vfs *, int))add)(vfs, 0) == MI_OK;
}
