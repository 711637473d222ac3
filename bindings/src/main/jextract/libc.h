/*
 * What jextract reads for org.panamaverbs.bindings.libc: system headers, and one declaration that they keep to _GNU_SOURCE.
 * Which of all the names are taken is said in libc.includes.
 *
 * _GNU_SOURCE itself would turn each `struct sockaddr *` parameter into a union passed by value, which Java code would have to
 * allocate for every call. Without it strerror_r is the one of POSIX, which fills the caller's buffer; glibc's symbol for it is
 * __xpg_strerror_r, and jextract follows that. The headers of files know no sockaddr: they are read as with _GNU_SOURCE.
 */
#include <features.h>
#define __USE_GNU 1
#define __USE_LARGEFILE64 1
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#undef __USE_LARGEFILE64
#undef __USE_GNU

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* accept4(2), as in sys/socket.h */
int accept4(int fd, struct sockaddr *addr, socklen_t *addr_len, int flags);
