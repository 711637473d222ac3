/*
 * What the provider looks up, and a client of one connection on the stub device does not need. Apart from stub_device.c, since the headers
 * there have other ideas of what these take.
 */
#include <errno.h>
#include <stddef.h>

#define ABSENT(name) int name(void) { errno = EOPNOTSUPP; return -1; }
ABSENT(rdma_bind_addr)
ABSENT(rdma_listen)
ABSENT(rdma_accept)
ABSENT(rdma_reject)
ABSENT(rdma_notify)
ABSENT(ibv_modify_srq)
ABSENT(ibv_destroy_srq)
ABSENT(ibv_destroy_ah)

#define ABSENT_OBJECT(name) void *name(void) { errno = EOPNOTSUPP; return NULL; }
ABSENT_OBJECT(ibv_create_srq)
ABSENT_OBJECT(ibv_create_ah)
ABSENT_OBJECT(ibv_create_ah_from_wc)
ABSENT_OBJECT(ibv_reg_dmabuf_mr)
