/* A preloaded library: the user's quota is 256 KB, whatever the file system. What is beyond it is
 * not written, and the kernel would say so in this way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LIMIT = 1 << 18 };

ssize_t pwritev64(int file, const struct iovec *list, int count, off64_t offset)
{
    ssize_t written = 0;
    for (int i = 0; i < count; i++) {
        off64_t at = offset + written, room = at < LIMIT ? LIMIT - at : 0;
        size_t bytes = list[i].iov_len < (size_t)room ? list[i].iov_len : (size_t)room;
        if (bytes == 0 && list[i].iov_len > 0)
            break;
        ssize_t now = pwrite64(file, list[i].iov_base, bytes, at);
        if (now < 0)
            return written > 0 ? written : -1;
        written += now;
        if ((size_t)now < list[i].iov_len)
            break;
    }
    if (written > 0 || (count == 1 && list[0].iov_len == 0))
        return written;
    errno = EDQUOT;
    return -1;
}

int posix_fallocate64(int file, off64_t offset, off64_t bytes)
{
    if (offset + bytes > LIMIT)
        return EDQUOT;
    return posix_fallocate(file, offset, bytes);
}
