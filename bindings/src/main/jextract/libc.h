/*
 * What jextract reads for org.panamaverbs.bindings.libc: system headers, and two declarations that these keep to _GNU_SOURCE.
 * Which of all the names are taken is said in libc.includes.
 *
 * _GNU_SOURCE itself would turn each `struct sockaddr *` parameter into a union passed by value, which Java code would have to
 * allocate for every call. Without it strerror_r is the one of POSIX, which fills the caller's buffer; glibc's symbol for it is
 * __xpg_strerror_r, and jextract follows that.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* accept4(2) and fallocate(2), as in sys/socket.h and fcntl.h */
int accept4(int fd, struct sockaddr *addr, socklen_t *addr_len, int flags);
int fallocate(int fd, int mode, off_t offset, off_t length);
