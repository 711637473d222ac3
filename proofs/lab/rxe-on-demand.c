/*
 * Linux's soft-RoCE driver (rxe) misplaces bytes in memory that is paged on demand. kernel-faults.txt explains it.
 *
 *   gcc -Wall -O2 -o /tmp/rxe-on-demand proofs/lab/rxe-on-demand.c -libverbs
 *   /tmp/rxe-on-demand OFFSET LENGTH [pinned]     a region that begins so far into its first page, and has so many bytes
 *
 * It sends, writes and reads from one region to another over rxe0, and compares what is in them and beside them. Exit status: 0 if all is
 * right, 1 if it is not, 2 if the test failed.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GID 1                                        /* the IPv4 address */
/* What memory has before a test, here and there, and in no place of the pattern. */
#define HERE 0xAA
#define THERE 0xBB

struct memory {
    unsigned char *all, *region;
    struct ibv_mr *mr;
    unsigned char beside;
};

static size_t offset, length, size;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static union ibv_gid gid;
static int failed;

static void check(int good, const char *call) {
    if (good) return;
    fprintf(stderr, "rxe-on-demand: %s: %s\n", call, strerror(errno));
    exit(2);
}

static unsigned char pattern(size_t i) {
    return i % 127;
}

static void clear(struct memory *m) {
    memset(m->all, m->beside, size);
}

static void fill(struct memory *m) {
    clear(m);
    for (size_t i = 0; i < length; i++) m->region[i] = pattern(i);
}

static struct memory allocate(int access, unsigned char beside) {
    struct memory m = { .beside = beside };
    m.all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(m.all != MAP_FAILED, "mmap");
    m.region = m.all + offset;
    m.mr = ibv_reg_mr(pd, m.region, length, access);
    check(m.mr != NULL, "ibv_reg_mr");
    return m;
}

static struct ibv_qp *create(void) {
    struct ibv_qp_init_attr attributes = { .send_cq = cq, .recv_cq = cq, .cap = { 4, 4, 1, 1 }, .qp_type = IBV_QPT_RC };
    struct ibv_qp *qp = ibv_create_qp(pd, &attributes);
    check(qp != NULL, "ibv_create_qp");
    return qp;
}

static void connect_to(struct ibv_qp *qp, struct ibv_qp *peer) {
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1,
        .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };
    struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num,
        .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
        .ah_attr = { .is_global = 1, .port_num = 1, .grh = { .dgid = gid, .sgid_index = GID, .hop_limit = 1 } } };
    struct ibv_qp_attr send = { .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
    check(!ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "ibv_modify_qp to INIT");
    check(!ibv_modify_qp(qp, &receive, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "ibv_modify_qp to RTR");
    check(!ibv_modify_qp(qp, &send, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
        | IBV_QP_MAX_QP_RD_ATOMIC), "ibv_modify_qp to RTS");
}

static void await_success(int completions) {
    struct ibv_wc completion;
    while (completions > 0) {
        int polled = ibv_poll_cq(cq, 1, &completion);
        check(polled >= 0, "ibv_poll_cq");
        if (polled > 0 && completion.status != IBV_WC_SUCCESS) {
            fprintf(stderr, "rxe-on-demand: %s\n", ibv_wc_status_str(completion.status));
            exit(2);
        }
        completions -= polled;
    }
}

static void compare(const char *operation, struct memory *m) {
    size_t wrong = 0, beside = 0;
    for (size_t i = 0; i < size; i++) {
        if (i >= offset && i < offset + length) wrong += m->all[i] != pattern(i - offset);
        else beside += m->all[i] != m->beside;
    }
    if (wrong + beside > 0) {
        printf("  %s: %zu of %zu bytes wrong, %zu beside the region overwritten\n", operation, wrong, length, beside);
        failed = 1;
    }
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "rxe-on-demand OFFSET LENGTH [pinned]\n");
        return 2;
    }
    offset = strtoul(arguments[1], NULL, 10);
    length = strtoul(arguments[2], NULL, 10);
    size = (offset + length + 2 * 4096 - 1) / 4096 * 4096;
    int devices;
    struct ibv_device **list = ibv_get_device_list(&devices);
    struct ibv_context *context = NULL;
    for (int i = 0; i < devices; i++) {
        if (strcmp(ibv_get_device_name(list[i]), "rxe0") == 0) context = ibv_open_device(list[i]);
    }
    check(context != NULL, "open rxe0");
    pd = ibv_alloc_pd(context);
    cq = ibv_create_cq(context, 16, NULL, NULL, 0);
    check(pd != NULL && cq != NULL && ibv_query_gid(context, 1, GID, &gid) == 0, "prepare rxe0");
    struct ibv_qp *one = create(), *other = create();
    connect_to(one, other);
    connect_to(other, one);
    int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | (count > 3 ? 0 : IBV_ACCESS_ON_DEMAND);
    struct memory here = allocate(access, HERE), there = allocate(access, THERE);
    struct ibv_sge from = { (uintptr_t) here.region, length, here.mr->lkey }, to = { (uintptr_t) there.region, length, there.mr->lkey };
    struct ibv_recv_wr receive = { .sg_list = &to, .num_sge = 1 }, *bad_receive;
    struct ibv_send_wr request = { .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = { (uintptr_t) there.region, there.mr->rkey } }, *bad;

    fill(&here);
    clear(&there);
    check(!ibv_post_recv(other, &receive, &bad_receive) && !ibv_post_send(one, &request, &bad), "post a Send");
    await_success(2);
    compare("Send", &there);

    clear(&there);
    request.opcode = IBV_WR_RDMA_WRITE;
    check(!ibv_post_send(one, &request, &bad), "post a Write");
    await_success(1);
    compare("Write", &there);

    clear(&here);
    fill(&there);
    request.opcode = IBV_WR_RDMA_READ;
    check(!ibv_post_send(one, &request, &bad), "post a Read");
    await_success(1);
    compare("Read", &here);

    printf("offset %zu, length %zu, %s: %s\n", offset, length, count > 3 ? "pinned" : "on demand", failed ? "WRONG" : "right");
    return failed;
}
