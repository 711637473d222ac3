/*
 * A device that does nothing, as libibverbs and librdmacm would offer it: what is posted completes at the next poll. So that what a post
 * and a poll cost through Java can be held against the same calls, by the same function pointers, from C. Nothing is carried.
 *
 * Built by benchmarks/run, with stub_absent.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* verbs.h hides some functions behind macros; here they are functions. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define RING 4096

struct queue {
	struct ibv_cq cq;
	struct ibv_wc ring[RING];
	uint32_t head, tail;
};

static struct ibv_device device = { .node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB, .name = "stub0", .dev_name = "uverbs9" };
static struct ibv_context *only;

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct queue *queue = (struct queue *) qp->send_cq;

	for (; wr; wr = wr->next) {
		if (queue->tail - queue->head == RING) {
			*bad = wr;
			return ENOMEM;
		}
		if (!(wr->send_flags & IBV_SEND_SIGNALED))
			continue;
		struct ibv_wc *wc = &queue->ring[queue->tail++ % RING];
		wc->wr_id = wr->wr_id;
		wc->status = IBV_WC_SUCCESS;
		wc->opcode = wr->opcode == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ : wr->opcode == IBV_WR_RDMA_WRITE ? IBV_WC_RDMA_WRITE : IBV_WC_SEND;
		wc->byte_len = wr->num_sge ? wr->sg_list[0].length : 0;
		wc->qp_num = qp->qp_num;
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void) qp, (void) wr, (void) bad;
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	struct queue *queue = (struct queue *) cq;
	int count = 0;

	while (count < most && queue->head != queue->tail)
		wc[count++] = queue->ring[queue->head++ % RING];
	return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited)
{
	(void) cq, (void) solicited;
	return 0;
}

/* What the provider is held against: a C program that posts a Write and polls its completion. Returns how many failed. */
long stub_loop(struct ibv_qp *qp, uint64_t address, uint32_t length, uint32_t lkey, uint64_t remote, uint32_t rkey, long operations)
{
	long failed = 0;

	for (long i = 0; i < operations; i++) {
		struct ibv_sge sge = { .addr = address, .length = length, .lkey = lkey };
		struct ibv_send_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
		struct ibv_send_wr *bad;
		struct ibv_wc wc;

		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey;
		if (qp->context->ops.post_send(qp, &wr, &bad) || qp->send_cq->context->ops.poll_cq(qp->send_cq, 1, &wc) != 1
		    || wc.status != IBV_WC_SUCCESS || wc.wr_id != (uint64_t) i)
			failed++;
	}
	return failed;
}

/* The queue pair that was connected last. */
static struct ibv_qp *last;

struct ibv_qp *stub_queue_pair(void)
{
	return last;
}

struct ibv_context **rdma_get_devices(int *count)
{
	struct ibv_context **list = calloc(2, sizeof *list);

	if (!only) {
		only = calloc(1, sizeof *only);
		only->device = &device;
		only->ops.post_send = post_send;
		only->ops.post_recv = post_recv;
		only->ops.poll_cq = poll_cq;
		only->ops.req_notify_cq = req_notify_cq;
		only->async_fd = eventfd(0, EFD_NONBLOCK);
		only->cmd_fd = -1;
		only->num_comp_vectors = 1;
	}
	list[0] = only;
	if (count)
		*count = 1;
	return list;
}

void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *limits)
{
	(void) context;
	memset(limits, 0, sizeof *limits);
	strcpy(limits->fw_ver, "0");
	limits->max_mr_size = UINT64_MAX;
	limits->max_qp = limits->max_cq = limits->max_mr = limits->max_pd = 1 << 16;
	limits->max_qp_wr = RING;
	limits->max_cqe = RING;
	limits->max_sge = 16;
	limits->max_qp_rd_atom = limits->max_qp_init_rd_atom = 16;
	limits->phys_port_cnt = 1;
	return 0;
}

/* The symbol fills what the struct was once. */
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *compat)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *) compat;

	(void) context, (void) port;
	attr->state = IBV_PORT_ACTIVE;
	attr->max_msg_sz = 1u << 31;
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void) context, (void) port, (void) index;
	memset(gid, 0, sizeof *gid);
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = calloc(1, sizeof *pd);

	pd->context = context;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	struct ibv_mr *mr = calloc(1, sizeof *mr);

	(void) access;
	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = address;
	mr->length = length;
	mr->lkey = mr->rkey = 0x100;
	return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = calloc(1, sizeof *channel);

	channel->context = context;
	channel->fd = eventfd(0, EFD_NONBLOCK);
	return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	free(channel);
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *user, struct ibv_comp_channel *channel, int vector)
{
	struct queue *queue = calloc(1, sizeof *queue);

	(void) vector;
	queue->cq.context = context;
	queue->cq.channel = channel;
	queue->cq.cq_context = user;
	queue->cq.cqe = entries;
	return &queue->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	free(cq);
	return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted)
{
	struct ibv_qp *qp = calloc(1, sizeof *qp);

	qp->context = pd->context;
	qp->pd = pd;
	qp->send_cq = wanted->send_cq;
	qp->recv_cq = wanted->recv_cq;
	qp->qp_num = 0x11;
	qp->qp_type = wanted->qp_type;
	return qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	if (last == qp)
		last = NULL;
	free(qp);
	return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask)
{
	(void) qp, (void) attributes, (void) mask;
	return 0;
}

/* Nothing ever happens by itself. */
#define NOTHING_HAPPENS(name, ...) int name(__VA_ARGS__) { errno = EAGAIN; return -1; }
NOTHING_HAPPENS(ibv_get_cq_event, struct ibv_comp_channel *, struct ibv_cq **, void **)
NOTHING_HAPPENS(ibv_get_async_event, struct ibv_context *, struct ibv_async_event *)
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count) { (void) cq, (void) count; }
void ibv_ack_async_event(struct ibv_async_event *event) { (void) event; }

/* Connecting: each step succeeds at once, and says so by an event. */

struct channel {
	struct rdma_event_channel channel;
	pthread_mutex_t lock;
	struct pending {
		struct rdma_cm_event event;
		struct pending *next;
	} *first, **end;
};

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct channel *channel = calloc(1, sizeof *channel);

	channel->channel.fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	pthread_mutex_init(&channel->lock, NULL);
	channel->end = &channel->first;
	return &channel->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	close(channel->fd);
	free(channel);
}

static int happened(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	struct channel *channel = (struct channel *) id->channel;
	struct pending *pending = calloc(1, sizeof *pending);
	uint64_t one = 1;

	pending->event.id = id;
	pending->event.event = type;
	pending->event.param.conn.responder_resources = pending->event.param.conn.initiator_depth = 16;
	pthread_mutex_lock(&channel->lock);
	*channel->end = pending;
	channel->end = &pending->next;
	pthread_mutex_unlock(&channel->lock);
	return write(channel->channel.fd, &one, sizeof one) == sizeof one ? 0 : -1;
}

int rdma_get_cm_event(struct rdma_event_channel *from, struct rdma_cm_event **event)
{
	struct channel *channel = (struct channel *) from;
	uint64_t count;

	if (read(from->fd, &count, sizeof count) != sizeof count)
		return -1;
	pthread_mutex_lock(&channel->lock);
	struct pending *pending = channel->first;
	channel->first = pending->next;
	if (!channel->first)
		channel->end = &channel->first;
	pthread_mutex_unlock(&channel->lock);
	*event = &pending->event;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	free(event);
	return 0;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *user, enum rdma_port_space space)
{
	*id = calloc(1, sizeof **id);
	(*id)->channel = channel;
	(*id)->context = user;
	(*id)->ps = space;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	free(id);
	return 0;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *destination, int millis)
{
	(void) source, (void) millis;
	memcpy(&id->route.addr.dst_storage, destination, sizeof(struct sockaddr_in));
	memcpy(&id->route.addr.src_storage, destination, sizeof(struct sockaddr_in));
	id->verbs = only;
	id->port_num = 1;
	return happened(id, RDMA_CM_EVENT_ADDR_RESOLVED);
}

int rdma_resolve_route(struct rdma_cm_id *id, int millis)
{
	(void) millis;
	return happened(id, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/* The extended struct begins with the plain one. */
int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *wanted)
{
	id->qp = ibv_create_qp(wanted->pd, (struct ibv_qp_init_attr *) wanted);
	return 0;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	ibv_destroy_qp(id->qp);
	id->qp = NULL;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *parameters)
{
	(void) parameters;
	last = id->qp;
	return happened(id, RDMA_CM_EVENT_ESTABLISHED);
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	return happened(id, RDMA_CM_EVENT_DISCONNECTED);
}
