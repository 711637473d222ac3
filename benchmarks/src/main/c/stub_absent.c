/*
 * What the provider looks up, and a client of one connection on the stub device does not call. Apart from stub_device.c, since the headers
 * there have other ideas of what these take.
 */
#include <errno.h>

#define ABSENT(name) int name(void) { errno = ENOSYS; return -1; }
ABSENT(rdma_bind_addr)
ABSENT(rdma_listen)
ABSENT(rdma_accept)
ABSENT(rdma_reject)
ABSENT(rdma_notify)
