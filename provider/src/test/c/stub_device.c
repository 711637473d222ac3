/*
 * Devices that exist in this file alone, behind the functions of libibverbs and librdmacm that the provider calls. A request that is posted
 * completes at the next poll; nothing is carried. Connecting succeeds at once.
 *
 * The benchmarks measure the cost of a post and a poll through Java on them. The tests inject faults: each call fails on demand
 * (stub_fail), requests stay unfinished (stub_withhold), and events of every kind come on demand (stub_raise_...). The stub counts its
 * calls and its live objects, so that a test sees a leak.
 *
 * Built by benchmarks/run, and by the tests' StubDevice. Needs the headers of libibverbs and librdmacm.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* verbs.h hides some functions behind macros; here they are functions. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define RING 4096
#define DEVICES 2
#define AMAZON 0x1d0f
/* mana. */
#define MICROSOFT 0x1414
#define EFA_INLINE 32
/* Of an EFA: its packets carry so many bytes, and it has so many elements for each request (the values of its first generation). */
#define EFA_MTU 8928
#define EFA_ELEMENTS 2
#define MOST_CALLS 96
#define MOST_FAULTS 16
/* How long a destroying call waits for events that nobody acknowledges, before it gives up and says so. */
#define PATIENCE_SECONDS 60

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acknowledged = PTHREAD_COND_INITIALIZER;

/* Faults, and counts. */

static struct fault {
	char call[48];
	int result, error, skip, times;
} faults[MOST_FAULTS];
static int fault_count;
/* Read without the lock: the hot path asks for nothing else. */
static volatile int armed;

static struct count {
	char name[48];
	long number;
} calls[MOST_CALLS], objects[MOST_CALLS];

/* Under the lock. */
static void add(struct count *table, const char *name, long by)
{
	for (int i = 0; i < MOST_CALLS; i++) {
		if (!table[i].name[0])
			strncpy(table[i].name, name, sizeof table[i].name - 1);
		if (!strcmp(table[i].name, name)) {
			table[i].number += by;
			return;
		}
	}
}

static long number(struct count *table, const char *name)
{
	long found = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MOST_CALLS; i++)
		if (!strcmp(table[i].name, name))
			found = table[i].number;
	pthread_mutex_unlock(&lock);
	return found;
}

static void live(const char *kind, long by)
{
	pthread_mutex_lock(&lock);
	add(objects, kind, by);
	pthread_mutex_unlock(&lock);
}

/* Whether a call is to fail now, and with which result; errno is set then. */
static int faulty(const char *call, int *result)
{
	int error = 0, found = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < fault_count && !found; i++) {
		struct fault *fault = &faults[i];
		if (strcmp(fault->call, call) || !fault->times)
			continue;
		if (fault->skip > 0) {
			fault->skip--;
			continue;
		}
		if (fault->times > 0)
			fault->times--;
		error = fault->error;
		*result = fault->result;
		found = 1;
	}
	pthread_mutex_unlock(&lock);
	if (found)
		errno = error;
	return found;
}

/* A call off the hot path: it is counted, and fails if a test wants that. */
#define CALL(failed) do { \
	int result = 0; \
	live_call(__func__); \
	if (faulty(__func__, &result)) \
		return failed; \
} while (0)

/* The call that waits until the test lets it go on; empty: none. */
static char held_call[48];
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;

static void live_call(const char *call)
{
	pthread_mutex_lock(&lock);
	add(calls, call, 1);
	while (!strcmp(held_call, call))
		pthread_cond_wait(&let_go, &lock);
	pthread_mutex_unlock(&lock);
}

/* A call waits from now on, once it is counted; "" lets it go on. */
void stub_hold(const char *call)
{
	pthread_mutex_lock(&lock);
	strncpy(held_call, call, sizeof held_call - 1);
	pthread_cond_broadcast(&let_go);
	pthread_mutex_unlock(&lock);
}

/*
 * From now on a call returns a result and sets errno; a call that returns an object returns NULL then.
 * skip: after so many that succeed; times: so often, for ever if negative.
 */
void stub_fail(const char *call, int result, int error, int skip, int times)
{
	pthread_mutex_lock(&lock);
	struct fault *fault = &faults[fault_count++ % MOST_FAULTS];
	memset(fault, 0, sizeof *fault);
	strncpy(fault->call, call, sizeof fault->call - 1);
	fault->result = result;
	fault->error = error;
	fault->skip = skip;
	fault->times = times;
	armed = 1;
	pthread_mutex_unlock(&lock);
}

/* How often a function of the libraries was called. Calls of the hot path are not counted. */
long stub_called(const char *call)
{
	return number(calls, call);
}

/* How many objects of a kind there are: pd, mr, cq, qp, srq, ah, channel, id, event_channel; event: not acknowledged; overdue: never. */
long stub_live(const char *kind)
{
	return number(objects, kind);
}

/* Devices. */

struct sequence {
	uint64_t ids[RING];
	uint32_t head, tail;
};

struct pair {
	struct ibv_qp qp;
	/* As ibv_query_qp answers; the state apart. */
	struct ibv_qp_attr attributes;
	struct sequence sends, receives;
};

struct shared {
	struct ibv_srq srq;
	struct sequence receives;
};

struct queue {
	/* Begins with all of ibv_cq. */
	struct ibv_cq_ex cq;
	struct ibv_wc ring[RING];
	uint32_t head, tail;
	int notify;
};

static struct device {
	struct ibv_device device;
	/* Always the same place: so the context of a device that is replaced has the address of the one before. */
	struct verbs_context verbs;
	int absent, refuses, down;
	enum ibv_transport_type transport;
	union ibv_gid gid;
	uint32_t vendor;
	int shared_queues;
	int generation;
	struct raised {
		struct ibv_async_event event;
		struct raised *next;
	} *first, **end;
} devices[DEVICES];
static uint32_t numbers = 0x11;
static volatile int withheld, accept_millis;
static int on_demand;
static uint64_t clock_mask, clock_kilohertz;
static volatile uint64_t last_region_address, last_region_access, advised;
static volatile uint64_t last_receive;
static volatile int last_receive_elements;
static volatile unsigned int last_send_flags;
static volatile int last_send_elements;
static volatile uint32_t receive_limit;
static uint32_t inline_limit;
/* What events say of Reads, and what rdma_accept was given. */
static uint8_t said_resources, said_depth;
static struct rdma_conn_param accepted;
/* How often libcxgb4 would have looked behind a NULL list. */
static volatile int null_lists;
/* Whether registrations wait until the test lets them go on, and how many do. */
static int held, holding;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
/* What a queue pair in error answers to posts; 0: it takes them, and flushes. */
static volatile int refusal;
static int link_layer, port_flags, atomics;
static int last_delay;
/* Whether librdmacm leaves out devices that cannot be opened, and then may give an empty list: since rdma-core 38 (librdmacm/cma.c). */
static int leaves_out;
/* Whether devices register memory of others. */
static int dma_bufs;
/* Whether devices have memory windows. */
static int windows;
/* How many requests were posted while they were withheld, one by one. */
static volatile long withheld_requests;
/* The binding that bind_mw was given last, and how many requests were withheld before it. */
static struct {
	struct ibv_mw_bind bind;
	long after;
} bound;
/* Whether a queue pair that is put into error reports nothing. */
static volatile int silent;
static struct ibv_qp_attr steps[IBV_QPS_RTS + 1];
static int step_masks[IBV_QPS_RTS + 1];
/* Instead of what queue pairs have, if a test wants that. */
static struct ibv_qp_attr answer;
static int answers, last_query;
/* The rates that devices limit queue pairs to, of which types, and the one that was set last. */
static struct ibv_packet_pacing_caps pacing;
static long last_rate;

static void complete(struct queue *queue, uint64_t id, enum ibv_wc_status status, enum ibv_wc_opcode opcode, uint32_t length,
	uint32_t number);

static void flush(struct pair *pair)
{
	struct sequence *sends = &pair->sends, *receives = &pair->receives;

	while (sends->head != sends->tail)
		complete((struct queue *) pair->qp.send_cq, sends->ids[sends->head++ % RING], IBV_WC_WR_FLUSH_ERR, IBV_WC_SEND, 0,
			pair->qp.qp_num);
	while (receives->head != receives->tail)
		complete((struct queue *) pair->qp.recv_cq, receives->ids[receives->head++ % RING], IBV_WC_WR_FLUSH_ERR, IBV_WC_RECV, 0,
			pair->qp.qp_num);
}

/* irdma takes an element at the address of the list even if the number of elements is 0; one of zeros is none (providers/irdma/uk.c). */
static int elements_for_irdma(int number, struct ibv_sge *list)
{
	return number || !list || (!list->addr && !list->length && !list->lkey) ? number : 1;
}

/* libcxgb4 looks at the first elements of a chain of exactly a Write and a Send, whatever their numbers say (providers/cxgb4/qp.c). */
static void look_as_cxgb4(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *next = wr->next;

	if (!next || next->next || wr->opcode != IBV_WR_RDMA_WRITE)
		return;
	if (!wr->sg_list)
		null_lists++;
	else if (wr->sg_list[0].length && (next->opcode == IBV_WR_SEND || next->opcode == IBV_WR_SEND_WITH_INV) && !next->sg_list)
		null_lists++;
}

/* What libefa takes of a request (providers/efa/verbs.c, efa_post_send_validate_wr); 0, or the error. */
static int validate_as_efa(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	size_t length = 0;

	for (int i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	if (qp->state != IBV_QPS_RTS || !(wr->send_flags & IBV_SEND_SIGNALED)
	    || wr->send_flags & ~(IBV_SEND_SIGNALED | IBV_SEND_INLINE))
		return EINVAL;
	if ((wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM) || !wr->wr.ud.ah)
		return EINVAL;
	return (wr->send_flags & IBV_SEND_INLINE ? length > EFA_INLINE : wr->num_sge > EFA_ELEMENTS) ? EINVAL : 0;
}

static int is_efa(struct ibv_context *context);

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct queue *queue = (struct queue *) qp->send_cq;
	struct pair *pair = (struct pair *) qp;
	int result;

	if (armed && faulty("ibv_post_send", &result)) {
		*bad = wr;
		return result;
	}
	if (refusal && qp->state != IBV_QPS_RTS) {
		*bad = wr;
		return refusal;
	}
	look_as_cxgb4(wr);
	for (; wr; wr = wr->next) {
		if (queue->tail - queue->head == RING) {
			*bad = wr;
			return ENOMEM;
		}
		if (is_efa(qp->context) && (result = validate_as_efa(qp, wr))) {
			*bad = wr;
			return result;
		}
		last_send_flags = wr->send_flags;
		last_send_elements = elements_for_irdma(wr->num_sge, wr->sg_list);
		if (withheld) {
			pair->sends.ids[pair->sends.tail++ % RING] = wr->wr_id;
			withheld_requests++;
			continue;
		}
		if (!(wr->send_flags & IBV_SEND_SIGNALED))
			continue;
		complete(queue, wr->wr_id, IBV_WC_SUCCESS,
			wr->opcode == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ : wr->opcode == IBV_WR_RDMA_WRITE ? IBV_WC_RDMA_WRITE : IBV_WC_SEND,
			wr->num_sge ? wr->sg_list[0].length : 0, qp->qp_num);
	}
	return 0;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw = calloc(1, sizeof *mw);

	mw->context = pd->context;
	mw->pd = pd;
	mw->type = type;
	mw->rkey = 0x700;
	live("mw", 1);
	return mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
	live("mw", -1);
	free(mw);
	return 0;
}

/* A window of type 1; one of type 2 is bound by a request. */
static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct sequence *sends = &((struct pair *) qp)->sends;

	(void) mw;
	bound.bind = *bind;
	bound.after = withheld_requests++;
	sends->ids[sends->tail++ % RING] = bind->wr_id;
	return 0;
}

static int keep(struct sequence *receives, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		if (receives->tail - receives->head >= receive_limit) {
			*bad = wr;
			return ENOMEM;
		}
		last_receive_elements = elements_for_irdma(wr->num_sge, wr->sg_list);
		null_lists += !wr->sg_list;
		last_receive = 0;
		for (int i = 0; i < wr->num_sge; i++)
			last_receive += wr->sg_list[i].length;
		receives->ids[receives->tail++ % RING] = wr->wr_id;
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int result;

	if (armed && faulty("ibv_post_recv", &result)) {
		*bad = wr;
		return result;
	}
	if (refusal && qp->state == IBV_QPS_ERR) {
		*bad = wr;
		return refusal;
	}
	return keep(&((struct pair *) qp)->receives, wr, bad);
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int result;

	if (armed && faulty("ibv_post_srq_recv", &result)) {
		*bad = wr;
		return result;
	}
	return keep(&((struct shared *) srq)->receives, wr, bad);
}

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	struct queue *queue = (struct queue *) cq;
	int count = 0, result;

	if (armed && faulty("ibv_poll_cq", &result))
		return result;
	while (count < most && queue->head != queue->tail)
		wc[count++] = queue->ring[queue->head++ % RING];
	return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited)
{
	int result;

	if (armed && faulty("ibv_req_notify_cq", &result))
		return result;
	((struct queue *) cq)->notify = solicited ? 2 : 1;
	return 0;
}

/* Extended completion queues: a field by each call. */

static struct ibv_wc *current(struct ibv_cq_ex *cq)
{
	struct queue *queue = (struct queue *) cq;

	return &queue->ring[queue->head % RING];
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attributes)
{
	struct queue *queue = (struct queue *) cq;
	int result;

	(void) attributes;
	if (armed && faulty("ibv_start_poll", &result))
		return result;
	if (queue->head == queue->tail)
		return ENOENT;
	cq->wr_id = current(cq)->wr_id;
	cq->status = current(cq)->status;
	return 0;
}

static void end_poll(struct ibv_cq_ex *cq) { ((struct queue *) cq)->head++; }
static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq) { return current(cq)->opcode; }
static uint32_t read_vendor_err(struct ibv_cq_ex *cq) { return current(cq)->vendor_err; }
static uint32_t read_byte_len(struct ibv_cq_ex *cq) { return current(cq)->byte_len; }
static __be32 read_imm_data(struct ibv_cq_ex *cq) { return current(cq)->imm_data; }
static uint32_t read_qp_num(struct ibv_cq_ex *cq) { return current(cq)->qp_num; }
static uint32_t read_src_qp(struct ibv_cq_ex *cq) { return current(cq)->src_qp; }
static unsigned int read_wc_flags(struct ibv_cq_ex *cq) { return current(cq)->wc_flags; }
static uint32_t read_slid(struct ibv_cq_ex *cq) { return current(cq)->slid; }
static uint8_t read_sl(struct ibv_cq_ex *cq) { return current(cq)->sl; }
static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cq) { return current(cq)->dlid_path_bits; }

static uint64_t read_completion_ts(struct ibv_cq_ex *queue)
{
	static uint64_t ticks;

	(void) queue;
	return ++ticks & clock_mask;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *wanted)
{
	if (wanted->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP && !clock_kilohertz) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	struct queue *queue = (struct queue *) ibv_create_cq(context, wanted->cqe, wanted->cq_context, wanted->channel, 0);

	if (!queue)
		return NULL;
	queue->cq.start_poll = start_poll;
	queue->cq.end_poll = end_poll;
	queue->cq.read_opcode = read_opcode;
	queue->cq.read_vendor_err = read_vendor_err;
	queue->cq.read_byte_len = read_byte_len;
	queue->cq.read_imm_data = read_imm_data;
	queue->cq.read_qp_num = read_qp_num;
	queue->cq.read_src_qp = read_src_qp;
	queue->cq.read_wc_flags = read_wc_flags;
	queue->cq.read_slid = read_slid;
	queue->cq.read_sl = read_sl;
	queue->cq.read_dlid_path_bits = read_dlid_path_bits;
	queue->cq.read_completion_ts = read_completion_ts;
	return &queue->cq;
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

/* As stub_loop, in batches: requests that are posted together, and completions that are polled together. */
long stub_batches(struct ibv_qp *qp, uint64_t address, uint32_t length, uint32_t lkey, uint64_t remote, uint32_t rkey, long operations)
{
	enum { BATCH = 8 };
	long failed = 0;

	for (long i = 0; i < operations; i += BATCH) {
		struct ibv_sge sge[BATCH];
		struct ibv_send_wr wr[BATCH];
		struct ibv_send_wr *bad;
		struct ibv_wc wc[BATCH];

		for (int j = 0; j < BATCH; j++) {
			sge[j] = (struct ibv_sge){ .addr = address, .length = length, .lkey = lkey };
			wr[j] = (struct ibv_send_wr){ .wr_id = i + j, .next = j + 1 < BATCH ? &wr[j + 1] : NULL, .sg_list = &sge[j], .num_sge = 1,
						      .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
			wr[j].wr.rdma.remote_addr = remote;
			wr[j].wr.rdma.rkey = rkey;
		}
		if (qp->context->ops.post_send(qp, wr, &bad) || qp->send_cq->context->ops.poll_cq(qp->send_cq, BATCH, wc) != BATCH) {
			failed += BATCH;
			continue;
		}
		for (int j = 0; j < BATCH; j++)
			if (wc[j].status != IBV_WC_SUCCESS || wc[j].wr_id != (uint64_t) (i + j))
				failed++;
	}
	return failed;
}

/* The floor below every program: the calls of stub_loop and stub_batches alone. Their requests are written once, and nobody looks at results. */
static struct ibv_sge prepared_element;
static struct ibv_send_wr prepared[8];

void stub_prepare(uint64_t address, uint32_t length, uint32_t lkey, uint64_t remote, uint32_t rkey)
{
	prepared_element = (struct ibv_sge){ .addr = address, .length = length, .lkey = lkey };
	for (int i = 0; i < 8; i++) {
		prepared[i] = (struct ibv_send_wr){ .next = i < 7 ? &prepared[i + 1] : NULL, .sg_list = &prepared_element, .num_sge = 1,
						    .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
		prepared[i].wr.rdma.remote_addr = remote;
		prepared[i].wr.rdma.rkey = rkey;
	}
}

/* Posts so many of them, 1 to 8, with one call. */
int stub_post(struct ibv_qp *qp, int count)
{
	struct ibv_send_wr *bad;

	return qp->context->ops.post_send(qp, &prepared[8 - count], &bad);
}

int stub_poll(struct ibv_qp *qp, int most)
{
	static struct ibv_wc wc[8];

	return qp->send_cq->context->ops.poll_cq(qp->send_cq, most, wc);
}

/* Messages of 64 bytes land in the oldest receives of a queue pair, or of its shared queue; returns how many found one. */
int stub_deliver(struct ibv_qp *qp, int messages)
{
	struct sequence *receives = qp->srq ? &((struct shared *) qp->srq)->receives : &((struct pair *) qp)->receives;
	int delivered = 0;

	for (; delivered < messages && receives->head != receives->tail; delivered++)
		complete((struct queue *) qp->recv_cq, receives->ids[receives->head++ % RING], IBV_WC_SUCCESS, IBV_WC_RECV, 64, qp->qp_num);
	return delivered;
}

/* The queue pair that was made last, and is there. */
static struct ibv_qp *last;

struct ibv_qp *stub_queue_pair(void)
{
	return last;
}

/* What was connected, or accepted, last. */
static struct rdma_cm_id *connected;

struct rdma_cm_id *stub_identifier(void)
{
	return connected;
}

static struct device *device_of(struct ibv_context *context)
{
	for (int i = 0; i < DEVICES; i++)
		if (context == &devices[i].verbs.context)
			return &devices[i];
	abort();
}

static int is_efa(struct ibv_context *context)
{
	return device_of(context)->vendor == AMAZON;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr,
			   size_t size)
{
	(void) context, (void) input;
	memset(attr, 0, size);
	attr->completion_timestamp_mask = clock_mask;
	attr->hca_core_clock = clock_kilohertz;
	attr->packet_pacing_caps = pacing;
	if (!on_demand)
		return 0;
	attr->odp_caps.general_caps = IBV_ODP_SUPPORT;
	attr->odp_caps.per_transport_caps.rc_odp_caps =
		IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;
	return 0;
}

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *list, uint32_t count)
{
	CALL(result);
	(void) pd, (void) flags;
	for (uint32_t i = 0; i < count; i++)
		if (list[i].lkey == 0x100 && advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE)
			advised += list[i].length;
	return 0;
}

/* As libmlx5, it refuses what the device cannot do (providers/mlx5/verbs.c, mlx5_modify_qp_rate_limit, and the kernel behind it). */
static int modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *limit)
{
	CALL(result);
	if (qp->state != IBV_QPS_RTS || limit->comp_mask || limit->max_burst_sz || limit->typical_pkt_sz
	    || (limit->rate_limit && (limit->rate_limit < pacing.qp_rate_limit_min || limit->rate_limit > pacing.qp_rate_limit_max)))
		return EINVAL;
	last_rate = limit->rate_limit;
	return 0;
}

/* Opens a device if that is not done. */
static struct ibv_context *open_device(struct device *device)
{
	struct ibv_context *context = &device->verbs.context;

	if (!context->device) {
		memset(&device->verbs, 0, sizeof device->verbs);
		device->verbs.sz = sizeof device->verbs;
		device->verbs.create_cq_ex = create_cq_ex;
		if (on_demand || pacing.supported_qpts)
			device->verbs.query_device_ex = query_device_ex;
		if (on_demand)
			device->verbs.advise_mr = advise_mr;
		if (pacing.supported_qpts)
			device->verbs.modify_qp_rate_limit = modify_qp_rate_limit;
		device->end = &device->first;
		context->device = &device->device;
		context->ops.post_send = post_send;
		context->ops.post_recv = post_recv;
		context->ops.post_srq_recv = post_srq_recv;
		context->ops.poll_cq = poll_cq;
		if (windows) {
			context->ops.alloc_mw = alloc_mw;
			context->ops.dealloc_mw = dealloc_mw;
			context->ops.bind_mw = bind_mw;
		}
		context->ops.req_notify_cq = req_notify_cq;
		context->async_fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
		context->cmd_fd = -1;
		context->num_comp_vectors = 1;
		context->abi_compat = __VERBS_ABI_IS_EXTENDED;
	}
	return context;
}

static void name(int index, const char *text)
{
	struct ibv_device *device = &devices[index].device;

	memset(device, 0, sizeof *device);
	device->node_type = devices[index].transport == IBV_TRANSPORT_IWARP ? IBV_NODE_RNIC
		: devices[index].transport == IBV_TRANSPORT_IB ? IBV_NODE_CA : IBV_NODE_UNSPECIFIED;
	device->transport_type = devices[index].transport;
	strncpy(device->name, text, sizeof device->name - 1);
	strcpy(device->dev_name, index ? "uverbs8" : "uverbs9");
	strcpy(device->ibdev_path, "/sys/class/infiniband/none");
}

/* Closes a device if it is open. */
static void close_device(struct device *device)
{
	if (device->verbs.context.device)
		close(device->verbs.context.async_fd);
	device->verbs.context.device = NULL;
}

/* No call fails any more. */
void stub_heal(void)
{
	pthread_mutex_lock(&lock);
	fault_count = 0;
	memset(faults, 0, sizeof faults);
	armed = 0;
	pthread_mutex_unlock(&lock);
}

/* What the calls of connecting were asked for, in their order. */
static char traced[512];

static void trace(const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&lock);
	size_t length = strlen(traced);
	if (length && length < sizeof traced - 1)
		traced[length++] = ';';
	va_start(arguments, format);
	vsnprintf(traced + length, sizeof traced - length, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&lock);
}

static void trace_address(const char *call, struct sockaddr *address)
{
	char host[INET_ADDRSTRLEN] = "any";
	struct sockaddr_in *four = (struct sockaddr_in *) address;

	if (four)
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
	trace("%s %s:%d", call, host, four ? ntohs(four->sin_port) : 0);
}

const char *stub_traced(void)
{
	return traced;
}

/* As after loading: no fault, nothing counted, one device "stub0". No session may be open. */
__attribute__((constructor)) void stub_reset(void)
{
	stub_heal();
	pthread_mutex_lock(&lock);
	memset(calls, 0, sizeof calls);
	memset(objects, 0, sizeof objects);
	memset(traced, 0, sizeof traced);
	withheld = 0;
	accept_millis = 0;
	on_demand = 0;
	clock_mask = clock_kilohertz = 0;
	last_region_address = last_region_access = advised = 0;
	last_receive = 0;
	receive_limit = RING;
	inline_limit = 512;
	said_resources = said_depth = 16;
	memset(&accepted, 0, sizeof accepted);
	null_lists = 0;
	held = 0;
	refusal = silent = dma_bufs = windows = 0;
	withheld_requests = 0;
	link_layer = IBV_LINK_LAYER_ETHERNET;
	port_flags = leaves_out = 0;
	atomics = IBV_ATOMIC_NONE;
	last_delay = -1;
	answers = last_query = 0;
	memset(&pacing, 0, sizeof pacing);
	last_rate = -1;
	for (int i = 0; i < DEVICES; i++) {
		devices[i].absent = i > 0;
		devices[i].refuses = 0;
		devices[i].down = 0;
		devices[i].transport = IBV_TRANSPORT_IB;
		memset(&devices[i].gid, 0, sizeof devices[i].gid);
		devices[i].vendor = 0;
		devices[i].shared_queues = 64;
		name(i, i ? "stub1" : "stub0");
		close_device(&devices[i]);
	}
	pthread_mutex_unlock(&lock);
}

/* Another device is plugged in where the first one was, and gets a context at the same address. No session may be open. */
void stub_replace(const char *called, uint32_t vendor, int shared_queues)
{
	close_device(&devices[0]);
	devices[0].vendor = vendor;
	devices[0].shared_queues = shared_queues;
	name(0, called);
}

/* A second device, "stub1", which may refuse to be opened; -1 takes it away. */
void stub_second(int refuses)
{
	devices[1].absent = refuses < 0;
	devices[1].refuses = refuses > 0;
}

/* The first device may not be opened. */
void stub_refuse_first(void)
{
	devices[0].refuses = 1;
}

/* No device at all. */
void stub_unplug(void)
{
	for (int i = 0; i < DEVICES; i++)
		devices[i].absent = 1;
}

/* The context of the first device, for tests that change it. */
struct ibv_context *stub_context(void)
{
	return open_device(&devices[0]);
}

/* Requests that are posted stay unfinished, until their queue pair is put into error. */
void stub_withhold(int on)
{
	withheld = on;
}

/* From now on rdma_accept takes that long, and no ESTABLISHED follows unless the test raises it. */
void stub_accept_slowly(int millis)
{
	accept_millis = millis;
}

/* What events of connections say of Reads from now on: responder_resources and initiator_depth. */
void stub_say_reads(int resources, int depth)
{
	said_resources = resources;
	said_depth = depth;
}

/* What rdma_accept was given last: responder_resources and initiator_depth. */
int stub_accepted_resources(void)
{
	return accepted.responder_resources;
}

int stub_accepted_depth(void)
{
	return accepted.initiator_depth;
}

/* How often a library would have looked behind a NULL list of elements. */
int stub_null_lists(void)
{
	return null_lists;
}

/* Registrations wait from now on, or go on; pinning tens of GiB takes the kernel seconds. */
void stub_hold_registrations(int on)
{
	pthread_mutex_lock(&lock);
	held = on;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
}

/* How many registrations wait. */
int stub_held_registrations(void)
{
	pthread_mutex_lock(&lock);
	int found = holding;
	pthread_mutex_unlock(&lock);
	return found;
}

/*
 * Queue pairs in error refuse posts with this result from now on: -EINVAL as libcxgb4 (qp.c, t4_wq_in_error) and EINVAL as libmana, -EIO as
 * liberdma (erdma_verbs.c). So they do requests that are posted in any state but RTS, as the kernel's siw.
 */
void stub_refuse_in_error(int result)
{
	refusal = result;
}

/* The ports of devices are InfiniBand's from now on, with such flags; no session may be open. */
void stub_infiniband(int flags)
{
	link_layer = IBV_LINK_LAYER_INFINIBAND;
	port_flags = flags;
}

/* Devices have such atomics from now on; no session may be open. */
void stub_atomics(int capability)
{
	atomics = capability;
}

/* Devices register memory of others (dma-buf) from now on; no session may be open. */
void stub_take_dma_bufs(void)
{
	dma_bufs = 1;
}

/* Devices have memory windows from now on; no session may be open. */
void stub_have_windows(void)
{
	windows = 1;
}

long stub_withheld_requests(void)
{
	return withheld_requests;
}

void *stub_bound(void)
{
	return &bound;
}

/* Queue pairs that are put into error report nothing from now on. */
void stub_silence(void)
{
	silent = 1;
}

/* How many bytes the receive has room for that was posted last. */
uint64_t stub_last_receive(void)
{
	return last_receive;
}

/* How many elements the receive has that was posted last. */
int stub_last_receive_elements(void)
{
	return last_receive_elements;
}

/* How many elements the request has that was posted last. */
int stub_last_send_elements(void)
{
	return last_send_elements;
}

/* The flags of the request that was posted last. */
int stub_last_send_flags(void)
{
	return last_send_flags;
}

/* A queue of receives has room for so many from now on. */
void stub_receive_limit(uint32_t limit)
{
	receive_limit = limit;
}

/* The transport of a device; no session may be open. */
void stub_transport(int index, int transport)
{
	char text[IBV_SYSFS_NAME_MAX];

	close_device(&devices[index]);
	strcpy(text, devices[index].device.name);
	devices[index].transport = transport;
	name(index, text);
}

/* The folder of the first device in sysfs. */
void stub_sysfs(const char *path)
{
	strncpy(devices[0].device.ibdev_path, path, sizeof devices[0].device.ibdev_path - 1);
}

/* Whether the port of a device is down. */
void stub_down(int index, int down)
{
	devices[index].down = down;
}

/* The one identifier of the port of a device. */
void stub_gid(int index, uint64_t high, uint64_t low)
{
	for (int i = 0; i < 8; i++) {
		devices[index].gid.raw[i] = high >> (56 - 8 * i);
		devices[index].gid.raw[8 + i] = low >> (56 - 8 * i);
	}
}

/* Devices page on demand; no session may be open. */
void stub_on_demand(void)
{
	on_demand = 1;
	for (int i = 0; i < DEVICES; i++)
		close_device(&devices[i]);
}

/* Devices that page on demand stamp completions by such a clock; no session may be open. */
void stub_clock(uint64_t kilohertz, uint64_t mask)
{
	clock_kilohertz = kilohertz;
	clock_mask = mask;
}

/* The address and the rights of the region that was registered last, and how many bytes were prefetched for writing. */
uint64_t stub_last_region_address(void)
{
	return last_region_address;
}

uint64_t stub_last_region_access(void)
{
	return last_region_access;
}

uint64_t stub_advised(void)
{
	return advised;
}

/* How many bytes a queue pair takes inline. */
void stub_inline(uint32_t limit)
{
	inline_limit = limit;
}


void stub_leave_out(void)
{
	leaves_out = 1;
}

static struct ibv_context **list_devices(int *count)
{
	struct ibv_context **list = calloc(DEVICES + 1, sizeof *list);
	int found = 0;

	*count = 0;
	for (int i = 0; i < DEVICES; i++) {
		if (devices[i].absent)
			continue;
		found = 1;
		if (devices[i].refuses && leaves_out)
			continue;
		if (devices[i].refuses) {
			free(list);
			*count = 0;
			return NULL;
		}
		list[(*count)++] = open_device(&devices[i]);
	}
	if (*count || (leaves_out && found))
		return list;
	free(list);
	return NULL;
}

/* As librdmacm: all devices, or none and ENODEV, if there is none or one of them cannot be opened. */
struct ibv_context **rdma_get_devices(int *count)
{
	int found;

	CALL(NULL);
	struct ibv_context **list = list_devices(&found);
	if (!list)
		errno = ENODEV;
	else
		live("list", 1);
	if (count)
		*count = found;
	return list;
}

void rdma_free_devices(struct ibv_context **list)
{
	live("list", -1);
	free(list);
}

struct ibv_device **ibv_get_device_list(int *count)
{
	int found = 0;

	CALL(NULL);
	struct ibv_device **list = calloc(DEVICES + 1, sizeof *list);
	for (int i = 0; i < DEVICES; i++)
		if (!devices[i].absent)
			list[found++] = &devices[i].device;
	if (count)
		*count = found;
	live("device_list", 1);
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	live("device_list", -1);
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	CALL(NULL);
	for (int i = 0; i < DEVICES; i++) {
		if (device != &devices[i].device)
			continue;
		if (devices[i].refuses) {
			errno = EMFILE;
			return NULL;
		}
		live("opened", 1);
		return open_device(&devices[i]);
	}
	abort();
}

int ibv_close_device(struct ibv_context *context)
{
	(void) context;
	CALL(result);
	live("opened", -1);
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *limits)
{
	CALL(result);
	memset(limits, 0, sizeof *limits);
	strcpy(limits->fw_ver, "0");
	limits->vendor_id = device_of(context)->vendor;
	limits->max_mr_size = UINT64_MAX;
	limits->device_cap_flags = IBV_DEVICE_MEM_MGT_EXTENSIONS | (windows ? IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B : 0);
	limits->max_qp = limits->max_cq = limits->max_mr = limits->max_pd = limits->max_ah = 1 << 16;
	limits->max_qp_wr = 1 << 16;
	limits->max_cqe = 1 << 16;
	limits->max_sge = 16;
	limits->max_srq = device_of(context)->shared_queues;
	limits->max_srq_wr = RING;
	limits->max_srq_sge = 16;
	limits->max_qp_rd_atom = limits->max_qp_init_rd_atom = 16;
	limits->phys_port_cnt = 1;
	limits->atomic_cap = atomics;
	if (is_efa(context)) {
		limits->max_sge = EFA_ELEMENTS;
		limits->max_qp_rd_atom = limits->max_qp_init_rd_atom = 0;
	}
	return 0;
}

/* The symbol fills what the struct was once. */
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *compat)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *) compat;

	(void) port;
	CALL(result);
	attr->state = device_of(context)->down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
	attr->gid_tbl_len = 4;
	attr->pkey_tbl_len = 2;
	attr->active_mtu = attr->max_mtu = IBV_MTU_4096;
	attr->max_msg_sz = 1u << 31;
	attr->link_layer = link_layer;
	attr->flags = port_flags;
	if (is_efa(context)) {
		attr->max_msg_sz = EFA_MTU;
		attr->link_layer = IBV_LINK_LAYER_UNSPECIFIED;
	}
	return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void) port;
	memset(gid, 0, sizeof *gid);
	/* Not the first place: tables have empty ones. */
	if (index == 1)
		*gid = device_of(context)->gid;
	return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *key)
{
	(void) context, (void) port;
	CALL(result);
	*key = htobe16(index == 0 ? 0xffff : 0x8001);
	return 0;
}

/* Memory. */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	CALL(NULL);
	struct ibv_pd *pd = calloc(1, sizeof *pd);

	pd->context = context;
	live("pd", 1);
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	CALL(result);
	live("pd", -1);
	free(pd);
	return 0;
}

static struct ibv_mr *register_memory(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned int access)
{
	pthread_mutex_lock(&lock);
	holding++;
	while (held)
		pthread_cond_wait(&released, &lock);
	holding--;
	pthread_mutex_unlock(&lock);
	last_region_address = iova;
	last_region_access = access;
	struct ibv_mr *mr = calloc(1, sizeof *mr);

	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = address;
	mr->length = length;
	mr->lkey = mr->rkey = 0x100;
	live("mr", 1);
	return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	CALL(NULL);
	return register_memory(pd, address, length, (uintptr_t) address, access);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned int access)
{
	CALL(NULL);
	return register_memory(pd, address, length, iova, access);
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	(void) offset;
	if (!dma_bufs || fd < 0) {
		errno = dma_bufs ? EBADF : EOPNOTSUPP;
		return NULL;
	}
	return register_memory(pd, NULL, length, iova, access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	CALL(result);
	live("mr", -1);
	free(mr);
	return 0;
}

static int last_is_global;

/* Whether the address handle that was made last is of a route with a global routing header. */
int stub_last_is_global(void)
{
	return last_is_global;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *wanted)
{
	CALL(NULL);
	last_is_global = wanted && wanted->is_global;
	/* The kernel's efa_create_ah takes a GID alone. */
	if (is_efa(pd->context) && !last_is_global) {
		errno = EINVAL;
		return NULL;
	}
	struct ibv_ah *ah = calloc(1, sizeof *ah);

	ah->context = pd->context;
	ah->pd = pd;
	live("ah", 1);
	return ah;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	(void) wc, (void) grh, (void) port;
	CALL(NULL);
	return ibv_create_ah(pd, NULL);
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	CALL(result);
	live("ah", -1);
	free(ah);
	return 0;
}

/* Events: each is reported once, and whatever it names is destroyed only when it was acknowledged, as in libibverbs and librdmacm. */

/* Under the lock. Each object counts in a field of its own how many events of it are not acknowledged. */
static void await_acknowledged(uint32_t *unacknowledged)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += PATIENCE_SECONDS;
	while (*unacknowledged)
		if (pthread_cond_timedwait(&acknowledged, &lock, &limit)) {
			add(objects, "overdue", 1);
			return;
		}
}

static void signal_fd(int fd)
{
	uint64_t one = 1;
	ssize_t written = write(fd, &one, sizeof one);

	(void) written;
}

static int take_signal(int fd)
{
	uint64_t count;

	return read(fd, &count, sizeof count) == sizeof count;
}

/* Which events of which objects are not acknowledged: the structs of verbs have no fields of that meaning that are public. */
static struct unacknowledged {
	void *object;
	uint32_t count;
} unacknowledged[RING];

/* Under the lock. */
static uint32_t *unacknowledged_of(void *object)
{
	struct unacknowledged *unused = NULL;

	for (int i = 0; i < RING; i++) {
		if (unacknowledged[i].object == object)
			return &unacknowledged[i].count;
		if (!unused && !unacknowledged[i].count)
			unused = &unacknowledged[i];
	}
	unused->object = object;
	return &unused->count;
}

static void report(void *object)
{
	pthread_mutex_lock(&lock);
	++*unacknowledged_of(object);
	add(objects, "event", 1);
	pthread_mutex_unlock(&lock);
}

static void acknowledge(void *object, uint32_t number)
{
	pthread_mutex_lock(&lock);
	*unacknowledged_of(object) -= number;
	add(objects, "event", -(long) number);
	pthread_cond_broadcast(&acknowledged);
	pthread_mutex_unlock(&lock);
}

static void destroying(void *object)
{
	pthread_mutex_lock(&lock);
	await_acknowledged(unacknowledged_of(object));
	pthread_mutex_unlock(&lock);
}

/* An asynchronous event; the element is a queue, a queue pair or the number of a port. */
void stub_raise_async(int type, uint64_t element)
{
	struct device *device = &devices[0];
	struct raised *raised = calloc(1, sizeof *raised);

	raised->event.event_type = type;
	memcpy(&raised->event.element, &element, sizeof element);
	pthread_mutex_lock(&lock);
	*device->end = raised;
	device->end = &raised->next;
	pthread_mutex_unlock(&lock);
	signal_fd(device->verbs.context.async_fd);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct device *device = device_of(context);

	if (!take_signal(context->async_fd))
		return -1;
	pthread_mutex_lock(&lock);
	struct raised *raised = device->first;
	device->first = raised->next;
	if (!device->first)
		device->end = &device->first;
	pthread_mutex_unlock(&lock);
	*event = raised->event;
	free(raised);
	report(event->element.qp);
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	acknowledge(event->element.qp, 1);
}

/* Completion queues and their channels. */

struct notices {
	struct ibv_comp_channel channel;
	struct ibv_cq *of[RING];
	uint32_t head, tail;
};

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	CALL(NULL);
	struct notices *notices = calloc(1, sizeof *notices);

	notices->channel.context = context;
	notices->channel.fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	live("channel", 1);
	return &notices->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	CALL(result);
	live("channel", -1);
	close(channel->fd);
	free(channel);
	return 0;
}

/* A completion event, whatever was asked for. */
void stub_raise_completion(struct ibv_cq *cq)
{
	struct notices *notices = (struct notices *) cq->channel;

	if (!notices)
		return;
	pthread_mutex_lock(&lock);
	notices->of[notices->tail++ % RING] = cq;
	pthread_mutex_unlock(&lock);
	signal_fd(notices->channel.fd);
}

/* Whether a completion of the queue raises an event, at least a failure. */
int stub_notifies(struct ibv_cq *cq)
{
	return ((struct queue *) cq)->notify;
}

static void complete(struct queue *queue, uint64_t id, enum ibv_wc_status status, enum ibv_wc_opcode opcode, uint32_t length,
	uint32_t number)
{
	struct ibv_wc *wc = &queue->ring[queue->tail % RING];

	wc->wr_id = id;
	wc->status = status;
	wc->opcode = opcode;
	wc->byte_len = length;
	wc->qp_num = number;
	queue->tail++;
	if (queue->notify == 1 || (queue->notify == 2 && status != IBV_WC_SUCCESS)) {
		queue->notify = 0;
		stub_raise_completion((struct ibv_cq *) &queue->cq);
	}
}

/* A completion with fields of the test's choice. */
void stub_complete(struct ibv_cq *cq, struct ibv_wc *wc)
{
	struct queue *queue = (struct queue *) cq;

	queue->ring[queue->tail++ % RING] = *wc;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **user)
{
	struct notices *notices = (struct notices *) channel;

	if (!take_signal(channel->fd))
		return -1;
	pthread_mutex_lock(&lock);
	*cq = notices->of[notices->head++ % RING];
	pthread_mutex_unlock(&lock);
	if (!*cq)
		return ibv_get_cq_event(channel, cq, user);
	*user = (*cq)->cq_context;
	report(*cq);
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	acknowledge(cq, count);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *user, struct ibv_comp_channel *channel, int vector)
{
	(void) vector;
	CALL(NULL);
	struct queue *queue = calloc(1, sizeof *queue);

	queue->cq.context = context;
	queue->cq.channel = channel;
	queue->cq.cq_context = user;
	queue->cq.cqe = entries;
	live("cq", 1);
	return (struct ibv_cq *) &queue->cq;
}

/* The ring holds RING completions, whatever a queue says. */
int ibv_resize_cq(struct ibv_cq *cq, int entries)
{
	CALL(result);
	cq->cqe = entries;
	return 0;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct notices *notices = (struct notices *) cq->channel;

	CALL(result);
	pthread_mutex_lock(&lock);
	for (uint32_t i = notices ? notices->head : 0; notices && i != notices->tail; i++)
		if (notices->of[i % RING] == cq)
			notices->of[i % RING] = NULL;
	pthread_mutex_unlock(&lock);
	destroying(cq);
	live("cq", -1);
	free(cq);
	return 0;
}

/* Queue pairs. */

static struct ibv_qp *create_pair(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted);

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted)
{
	CALL(NULL);
	struct device *device = device_of(pd->context);

	/* libefa has queue pairs for datagrams, and a type of its own (providers/efa/verbs.c, efa_create_qp). */
	if (device->vendor == AMAZON && wanted->qp_type != IBV_QPT_UD
	    /* libmana has no queue pairs for datagrams (providers/mana/qp.c, mana_create_qp). */
	    || device->vendor == MICROSOFT && wanted->qp_type == IBV_QPT_UD) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return create_pair(pd, wanted);
}

/*
 * What libefa's efadv_create_qp_ex does (providers/efa/verbs.c); its library is stub_efa.c. The type is of the struct that the header of
 * libefa names.
 */
struct ibv_qp *stub_create_efa(struct ibv_context *context, struct ibv_qp_init_attr_ex *wanted, uint32_t type)
{
	int result;

	live_call("efadv_create_qp_ex");
	if (faulty("efadv_create_qp_ex", &result))
		return NULL;
	if (!is_efa(context) || type || wanted->comp_mask & ~(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (wanted->qp_type != IBV_QPT_DRIVER || !(wanted->comp_mask & IBV_QP_INIT_ATTR_PD) || wanted->pd->context != context) {
		errno = EINVAL;
		return NULL;
	}
	return create_pair(wanted->pd, (struct ibv_qp_init_attr *) wanted);
}

static struct ibv_qp *create_pair(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted)
{
	struct device *device = device_of(pd->context);

	/* efa_check_qp_attr and efa_check_qp_limits */
	if (device->vendor == AMAZON
	    && (wanted->cap.max_inline_data > EFA_INLINE || wanted->cap.max_send_sge > EFA_ELEMENTS || wanted->cap.max_recv_sge > EFA_ELEMENTS
		|| wanted->srq || !wanted->send_cq || !wanted->recv_cq)) {
		errno = EINVAL;
		return NULL;
	}
	struct pair *pair = calloc(1, sizeof *pair);

	pair->qp.context = pd->context;
	pair->qp.pd = pd;
	pair->qp.send_cq = wanted->send_cq;
	pair->qp.recv_cq = wanted->recv_cq;
	pair->qp.srq = wanted->srq;
	pair->qp.qp_num = numbers++;
	pair->qp.qp_type = wanted->qp_type;
	if (device->vendor != AMAZON)
		wanted->cap.max_inline_data = inline_limit;
	pair->attributes.cap = wanted->cap;
	live("qp", 1);
	last = &pair->qp;
	return &pair->qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	CALL(result);
	destroying(qp);
	live("qp", -1);
	if (last == qp)
		last = NULL;
	free(qp);
	return 0;
}

/* A queue pair has from now on what a mask names. */
static void merge(struct ibv_qp_attr *into, const struct ibv_qp_attr *from, int mask)
{
	if (mask & IBV_QP_ACCESS_FLAGS)
		into->qp_access_flags = from->qp_access_flags;
	if (mask & IBV_QP_PKEY_INDEX)
		into->pkey_index = from->pkey_index;
	if (mask & IBV_QP_PORT)
		into->port_num = from->port_num;
	if (mask & IBV_QP_AV)
		into->ah_attr = from->ah_attr;
	if (mask & IBV_QP_PATH_MTU)
		into->path_mtu = from->path_mtu;
	if (mask & IBV_QP_TIMEOUT)
		into->timeout = from->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		into->retry_cnt = from->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		into->rnr_retry = from->rnr_retry;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		into->max_rd_atomic = from->max_rd_atomic;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		into->max_dest_rd_atomic = from->max_dest_rd_atomic;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		into->min_rnr_timer = from->min_rnr_timer;
	if (mask & IBV_QP_DEST_QPN)
		into->dest_qp_num = from->dest_qp_num;
}

/* As the kernel's connection manager: rights, path and timers, of which the RNR timer is 0. */
static void become_connected(struct rdma_cm_id *id, struct rdma_conn_param *parameters)
{
	struct ibv_qp_attr *attributes = &((struct pair *) id->qp)->attributes;

	id->qp->state = IBV_QPS_RTS;
	attributes->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | (parameters->responder_resources ? IBV_ACCESS_REMOTE_READ : 0);
	attributes->port_num = attributes->ah_attr.port_num = 1;
	attributes->ah_attr.is_global = 1;
	attributes->ah_attr.grh.dgid.raw[15] = 1;
	attributes->ah_attr.grh.hop_limit = 64;
	attributes->ah_attr.grh.flow_label = 0xbeef;
	attributes->path_mtu = IBV_MTU_1024;
	attributes->dest_qp_num = 0x4711;
	attributes->max_rd_atomic = parameters->initiator_depth;
	attributes->max_dest_rd_atomic = parameters->responder_resources;
	attributes->timeout = 18;
	attributes->retry_cnt = parameters->retry_count;
	attributes->rnr_retry = parameters->rnr_retry_count;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask)
{
	CALL(result);
	if (mask & IBV_QP_STATE) {
		enum ibv_qp_state next = attributes->qp_state;
		int made_by_hand = next == IBV_QPS_INIT || next == IBV_QPS_RTR || next == IBV_QPS_RTS;

		/* One step after the other. */
		if (made_by_hand && qp->state != next - 1)
			return EINVAL;
		if (made_by_hand) {
			steps[next] = *attributes;
			step_masks[next] = mask;
		}
		qp->state = next;
		if (next == IBV_QPS_ERR && !silent)
			flush((struct pair *) qp);
	} else if (!mask || mask & ~(IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS) || qp->state != IBV_QPS_RTS) {
		return EINVAL;
	} else if (mask & IBV_QP_MIN_RNR_TIMER) {
		last_delay = attributes->min_rnr_timer;
	}
	merge(&((struct pair *) qp)->attributes, attributes, mask);
	return 0;
}

/* The RNR timer that a queue pair in RTS was given last; -1: none. */
int stub_last_delay(void)
{
	return last_delay;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask, struct ibv_qp_init_attr *first)
{
	(void) first;
	CALL(result);
	last_query = mask;
	/* The kernel's efa_query_qp knows no others. */
	if (is_efa(qp->context)
	    && mask & ~(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_SQ_PSN | IBV_QP_CAP | IBV_QP_RNR_RETRY))
		return EOPNOTSUPP;
	*attributes = answers ? answer : ((struct pair *) qp)->attributes;
	if (!answers)
		attributes->qp_state = qp->state;
	return 0;
}

/* Queue pairs answer the struct behind the pointer from now on. */
struct ibv_qp_attr *stub_answer(void)
{
	answers = 1;
	memset(&answer, 0, sizeof answer);
	return &answer;
}

/* Which attributes a queue pair was asked for last. */
int stub_last_query(void)
{
	return last_query;
}

/* Devices limit the rate of queue pairs of such types (1 << IBV_QPT_...) from now on; no session may be open. */
void stub_pace(uint32_t least, uint32_t most, uint32_t types)
{
	pacing = (struct ibv_packet_pacing_caps){ .qp_rate_limit_min = least, .qp_rate_limit_max = most, .supported_qpts = types };
	for (int i = 0; i < DEVICES; i++)
		close_device(&devices[i]);
}

/* The rate that a queue pair was limited to last; -1: none. */
long stub_last_rate(void)
{
	return last_rate;
}

/* The device takes a queue pair into another state by itself, as when the peer ended the connection. */
void stub_break_queue_pair(struct ibv_qp *qp, int state)
{
	qp->state = state;
	flush((struct pair *) qp);
}

/* The attributes by which a queue pair took the last step to a state, and which of them count. */
struct ibv_qp_attr *stub_step(int state)
{
	return &steps[state];
}

int stub_step_mask(int state)
{
	return step_masks[state];
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *wanted)
{
	(void) wanted;
	CALL(NULL);
	struct shared *shared = calloc(1, sizeof *shared);

	shared->srq.context = pd->context;
	shared->srq.pd = pd;
	live("srq", 1);
	return &shared->srq;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attributes, int mask)
{
	(void) srq, (void) attributes, (void) mask;
	CALL(result);
	return 0;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	CALL(result);
	destroying(srq);
	live("srq", -1);
	free(srq);
	return 0;
}

/* Connecting: each step succeeds at once, and says so by an event. */

struct channel {
	struct rdma_event_channel channel;
	struct pending {
		struct rdma_cm_event event;
		struct pending *next;
	} *first, **end;
};

struct rdma_event_channel *rdma_create_event_channel(void)
{
	CALL(NULL);
	struct channel *channel = calloc(1, sizeof *channel);

	channel->channel.fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	channel->end = &channel->first;
	live("event_channel", 1);
	return &channel->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	live_call(__func__);
	live("event_channel", -1);
	close(channel->fd);
	free(channel);
}

/* Each ends once. */
struct identifier {
	struct rdma_cm_id id;
	int over;
};

static struct pending *happening(struct rdma_cm_id *id, enum rdma_cm_event_type type, int status)
{
	struct pending *pending = calloc(1, sizeof *pending);

	if (type == RDMA_CM_EVENT_DISCONNECTED)
		((struct identifier *) id)->over = 1;
	pending->event.id = id;
	pending->event.event = type;
	pending->event.status = status;
	pending->event.param.conn.responder_resources = said_resources;
	pending->event.param.conn.initiator_depth = said_depth;
	return pending;
}

static void enqueue(struct channel *channel, struct pending *pending)
{
	pthread_mutex_lock(&lock);
	*channel->end = pending;
	channel->end = &pending->next;
	pthread_mutex_unlock(&lock);
	signal_fd(channel->channel.fd);
}

/* An event of a connection. */
void stub_raise_connection(struct rdma_cm_id *id, int type, int status)
{
	enqueue((struct channel *) id->channel, happening(id, type, status));
}

/* A connection request at a listener. */
void stub_raise_request(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id = calloc(1, sizeof(struct identifier));

	id->channel = listener->channel;
	id->verbs = open_device(&devices[0]);
	id->ps = listener->ps;
	id->route.addr = listener->route.addr;
	memcpy(&id->route.addr.dst_storage, &id->route.addr.src_storage, sizeof(struct sockaddr_in));
	live("id", 1);
	struct pending *pending = happening(id, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	pending->event.listen_id = listener;
	enqueue((struct channel *) listener->channel, pending);
}

static int happened(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	stub_raise_connection(id, type, 0);
	return 0;
}

int rdma_get_cm_event(struct rdma_event_channel *from, struct rdma_cm_event **event)
{
	struct channel *channel = (struct channel *) from;

	if (!take_signal(from->fd))
		return -1;
	pthread_mutex_lock(&lock);
	struct pending *pending = channel->first;
	if (pending) {
		channel->first = pending->next;
		if (!channel->first)
			channel->end = &channel->first;
	}
	pthread_mutex_unlock(&lock);
	if (!pending) {
		errno = EAGAIN;
		return -1;
	}
	*event = &pending->event;
	report((*event)->id);
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	CALL(result);
	acknowledge(event->id, 1);
	free(event);
	return 0;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *user, enum rdma_port_space space)
{
	CALL(result);
	*id = calloc(1, sizeof(struct identifier));
	(*id)->channel = channel;
	(*id)->context = user;
	(*id)->ps = space;
	live("id", 1);
	return 0;
}

/* As the kernel: what nobody has read of an identifier goes with it. */
static void drop_events(struct rdma_cm_id *id)
{
	struct channel *channel = (struct channel *) id->channel;

	pthread_mutex_lock(&lock);
	for (struct pending **place = &channel->first; *place;) {
		struct pending *pending = *place;
		if (pending->event.id != id) {
			place = &pending->next;
			continue;
		}
		*place = pending->next;
		free(pending);
	}
	channel->end = &channel->first;
	while (*channel->end)
		channel->end = &(*channel->end)->next;
	pthread_mutex_unlock(&lock);
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	CALL(result);
	drop_events(id);
	destroying(id);
	live("id", -1);
	free(id);
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	CALL(result);
	memcpy(&id->route.addr.src_storage, address,
	       address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	return 0;
}

static struct rdma_cm_id *listening;

struct rdma_cm_id *stub_listener(void)
{
	return listening;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	(void) backlog;
	CALL(result);
	listening = id;
	trace("listen");
	return 0;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *destination, int millis)
{
	(void) millis;
	CALL(result);
	trace_address("from", source);
	memcpy(&id->route.addr.dst_storage, destination, sizeof(struct sockaddr_in));
	memcpy(&id->route.addr.src_storage, source ? source : destination, sizeof(struct sockaddr_in));
	id->verbs = open_device(&devices[0]);
	id->port_num = 1;
	return happened(id, RDMA_CM_EVENT_ADDR_RESOLVED);
}

int rdma_resolve_route(struct rdma_cm_id *id, int millis)
{
	(void) millis;
	CALL(result);
	trace("route");
	return happened(id, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t length)
{
	(void) id;
	CALL(result);
	if (length != (name == RDMA_OPTION_ID_AFONLY ? sizeof(int) : 1)) {
		errno = EINVAL;
		return -1;
	}
	trace("option %d.%d=%d", level, name, *(uint8_t *) value);
	return 0;
}

/* The extended struct begins with the plain one. */
int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *wanted)
{
	CALL(result);
	id->qp = ibv_create_qp(wanted->pd, (struct ibv_qp_init_attr *) wanted);
	if (id->qp)
		id->qp->state = IBV_QPS_INIT;
	return id->qp ? 0 : -1;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	ibv_destroy_qp(id->qp);
	id->qp = NULL;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *parameters)
{
	CALL(result);
	trace("connect");
	connected = id;
	become_connected(id, parameters);
	return happened(id, RDMA_CM_EVENT_ESTABLISHED);
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *parameters)
{
	CALL(result);
	trace("accept");
	accepted = *parameters;
	connected = id;
	become_connected(id, parameters);
	if (accept_millis) {
		usleep(accept_millis * 1000);
		return 0;
	}
	return happened(id, RDMA_CM_EVENT_ESTABLISHED);
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	(void) id, (void) data, (void) length;
	CALL(result);
	return 0;
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
	(void) id, (void) event;
	CALL(result);
	return 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	CALL(result);
	return ((struct identifier *) id)->over ? 0 : happened(id, RDMA_CM_EVENT_DISCONNECTED);
}
