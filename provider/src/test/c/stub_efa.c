/*
 * In the place of libefa, which a program finds beside libibverbs: its call for queue pairs of its own type, on the devices of
 * stub_device.c. Built against the header of libefa, so that the structs of both sides are the compiler's.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <infiniband/efadv.h>

struct ibv_qp *stub_create_efa(struct ibv_context *context, struct ibv_qp_init_attr_ex *wanted, uint32_t type);

/* As libefa, it takes a struct that is longer than its own if the rest is zeros (providers/efa/verbs.c). */
struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *wanted, struct efadv_qp_init_attr *efa,
				  uint32_t length)
{
	static const char zeros[4];

	if (length < offsetof(struct efadv_qp_init_attr, driver_qp_type) + sizeof efa->driver_qp_type || efa->comp_mask
	    || (length >= 16 && memcmp((char *) efa + 12, zeros, sizeof zeros))) {
		errno = EINVAL;
		return NULL;
	}
	return stub_create_efa(context, wanted, efa->driver_qp_type);
}
