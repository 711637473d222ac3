/*
 * Two faults of Linux's soft-iWARP driver (siw), without Java. kernel-faults.txt explains them.
 *
 *   gcc -Wall -O2 -pthread -o /tmp/siw-faults proofs/lab/siw-faults.c -lrdmacm -libverbs
 *   /tmp/siw-faults accept ADDRESS [CONNECTIONS [same]]    a message that comes right behind the Reply lies unread
 *   /tmp/siw-faults fence ADDRESS [SECONDS]                a Read beyond the ORD, while its poster leaves the system call
 *
 * ADDRESS is that of a network interface with a siw device. Exit status: 0 if the fault did not strike, 1 if it did, 2 if the test failed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 7471
#define CHAIN 160                                    /* requests of one chain at most */

static void check(int good, const char *call) {
    if (good) return;
    fprintf(stderr, "siw-faults: %s: %s\n", call, strerror(errno));
    exit(2);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    check(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

static struct sockaddr_in address;
static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;

static struct rdma_cm_id *event(struct rdma_event_channel *from, enum rdma_cm_event_type expected) {
    struct rdma_cm_event *event;
    struct rdma_cm_id *id;
    check(rdma_get_cm_event(from, &event) == 0, "rdma_get_cm_event");
    if (event->event != expected) {
        fprintf(stderr, "siw-faults: %s in place of %s\n", rdma_event_str(event->event), rdma_event_str(expected));
        exit(2);
    }
    id = event->id;
    rdma_ack_cm_event(event);
    return id;
}

static void listen_there(void) {
    struct sockaddr_in here = address;
    here.sin_port = htons(PORT);
    check((channel = rdma_create_event_channel()) != NULL, "rdma_create_event_channel");
    check(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    check(rdma_bind_addr(listener, (struct sockaddr *) &here) == 0, "rdma_bind_addr");
    check(rdma_listen(listener, 16) == 0, "rdma_listen");
}

/* A queue pair with one completion queue, and a page of registered memory. */
struct end {
    struct rdma_cm_id *id;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_mr *mr;
    char *memory;
};

static struct end open_end(struct rdma_cm_id *id) {
    struct end end = { .id = id };
    struct ibv_qp_init_attr attributes = { .qp_type = IBV_QPT_RC, .cap = { 2 * CHAIN, 4, 1, 1, 16 } };
    check((end.pd = ibv_alloc_pd(id->verbs)) != NULL, "ibv_alloc_pd");
    check((end.cq = ibv_create_cq(id->verbs, 4 * CHAIN, NULL, NULL, 0)) != NULL, "ibv_create_cq");
    check((end.memory = aligned_alloc(4096, 4096)) != NULL, "aligned_alloc");
    end.mr = ibv_reg_mr(end.pd, end.memory, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    check(end.mr != NULL, "ibv_reg_mr");
    attributes.send_cq = attributes.recv_cq = end.cq;
    check(rdma_create_qp(id, end.pd, &attributes) == 0, "rdma_create_qp");
    return end;
}

static void close_end(struct end *end) {
    rdma_destroy_qp(end->id);
    check(rdma_destroy_id(end->id) == 0, "rdma_destroy_id");
    ibv_dereg_mr(end->mr);
    ibv_destroy_cq(end->cq);
    ibv_dealloc_pd(end->pd);
    free(end->memory);
}

/* The completions that come within a time, at most as many as are expected. A failed one gives -1. */
static int completions(struct ibv_cq *cq, int expected, double within) {
    double limit = seconds() + within;
    int count = 0;
    while (count < expected && seconds() < limit) {
        struct ibv_wc wc;
        int polled = ibv_poll_cq(cq, 1, &wc);
        check(polled >= 0, "ibv_poll_cq");
        if (polled == 0) continue;
        if (wc.status != IBV_WC_SUCCESS) {
            printf("request %d of the chain: %s\n", (int) wc.wr_id, ibv_wc_status_str(wc.status));
            return -1;
        }
        count++;
    }
    return count;
}

/* ---- accept: the peer is a plain socket that speaks MPA (RFC 5044), so it can answer the Reply at once ---- */

static int peer, peer_cpu;

static void send_fpdu(int msn) {
    unsigned char fpdu[28] = { 0, 22, 0x41, 0x43 };  /* ULPDU of 22 bytes: untagged, last; a Send; without a CRC */
    fpdu[15] = msn;
    check(send(peer, fpdu, sizeof fpdu, 0) == sizeof fpdu, "send");
}

static void *answer_reply(void *unused) {
    struct sched_param first = { .sched_priority = 50 };
    char reply[20];
    pin(peer_cpu);
    check(sched_setscheduler(0, SCHED_FIFO, &first) == 0, "sched_setscheduler");
    if (peer_cpu != 0) while (recv(peer, reply, sizeof reply, MSG_PEEK | MSG_DONTWAIT) < 0) { }    /* no wake-up: it answers sooner */
    check(recv(peer, reply, sizeof reply, MSG_WAITALL) == sizeof reply, "recv");
    send_fpdu(1);
    return unused;
}

static int accept_once(void) {
    unsigned char request[20] = "MPA ID Req Frame";
    struct sockaddr_in there = address;
    struct ibv_recv_wr receives[2], *bad;
    struct ibv_sge sge;
    struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1 };
    pthread_t thread;
    struct end end;
    int before, after;

    there.sin_port = htons(PORT);
    request[17] = 1;                                 /* no flags, revision 1 */
    check((peer = socket(AF_INET, SOCK_STREAM, 0)) >= 0, "socket");
    check(connect(peer, (struct sockaddr *) &there, sizeof there) == 0, "connect");
    check(send(peer, request, sizeof request, 0) == sizeof request, "send");
    end = open_end(event(channel, RDMA_CM_EVENT_CONNECT_REQUEST));
    sge = (struct ibv_sge) { (uintptr_t) end.memory, 64, end.mr->lkey };
    memset(receives, 0, sizeof receives);
    for (int i = 0; i < 2; i++) receives[i].sg_list = &sge, receives[i].num_sge = 1;
    receives[0].next = &receives[1];
    check(ibv_post_recv(end.id->qp, receives, &bad) == 0, "ibv_post_recv");
    check(pthread_create(&thread, NULL, answer_reply, NULL) == 0, "pthread_create");
    usleep(20000);                                   /* the peer waits for the Reply */
    check(rdma_accept(end.id, &parameters) == 0, "rdma_accept");
    pthread_join(thread, NULL);
    event(channel, RDMA_CM_EVENT_ESTABLISHED);
    before = completions(end.cq, 1, 1);
    send_fpdu(2);
    after = completions(end.cq, 2 - before, 1);
    if (before == 0) printf("no message within 1 s of the Reply; after the next message: %d\n", after);
    check(before >= 0 && before + after == 2, "two messages were expected in the end");
    close(peer);
    event(channel, RDMA_CM_EVENT_DISCONNECTED);
    close_end(&end);
    return before == 0;
}

/* ---- fence: an ORD of 1, so the second Read of a chain waits for the answer to the first: the poster or siw's thread sets orq_fence ---- */

static struct end passive, active;

static void *serve(void *unused) {
    struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1 };
    passive = open_end(event(channel, RDMA_CM_EVENT_CONNECT_REQUEST));
    check(rdma_accept(passive.id, &parameters) == 0, "rdma_accept");
    event(channel, RDMA_CM_EVENT_ESTABLISHED);
    return unused;
}

static void connect_both(struct rdma_event_channel *own) {
    struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1 };
    struct sockaddr_in there = address;
    struct rdma_cm_id *id;
    pthread_t thread;
    there.sin_port = htons(PORT);
    check(pthread_create(&thread, NULL, serve, NULL) == 0, "pthread_create");
    check(rdma_create_id(own, &id, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    check(rdma_resolve_addr(id, NULL, (struct sockaddr *) &there, 2000) == 0, "rdma_resolve_addr");
    event(own, RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id, 2000) == 0, "rdma_resolve_route");
    event(own, RDMA_CM_EVENT_ROUTE_RESOLVED);
    active = open_end(id);
    check(rdma_connect(id, &parameters) == 0, "rdma_connect");
    event(own, RDMA_CM_EVENT_ESTABLISHED);
    pthread_join(thread, NULL);
}

/* Writes, a Read, Writes, a Read: whether all of them completed. */
static int chain(int before, int between) {
    struct ibv_sge sge = { (uintptr_t) active.memory, 8, active.mr->lkey };
    struct ibv_send_wr requests[CHAIN], *bad;
    int last = before + 1 + between, count;
    memset(requests, 0, sizeof requests);
    for (int i = 0; i <= last; i++) {
        int read = i == before || i == last;
        requests[i].wr_id = i;
        requests[i].next = i < last ? &requests[i + 1] : NULL;
        requests[i].sg_list = &sge;
        requests[i].num_sge = 1;
        requests[i].opcode = read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
        requests[i].send_flags = IBV_SEND_SIGNALED | (read ? 0 : IBV_SEND_INLINE);
        requests[i].wr.rdma.remote_addr = (uintptr_t) passive.memory + 64;
        requests[i].wr.rdma.rkey = passive.mr->rkey;
    }
    check(ibv_post_send(active.id->qp, requests, &bad) == 0, "ibv_post_send");
    count = completions(active.cq, last + 1, 5);
    if (count == last + 1) return 1;
    if (count >= 0) printf("%d completions within 5 s; ", count);
    printf("%d Writes, a Read, %d Writes, a Read\n", before, between);
    return 0;
}

static int fence(double until) {
    struct rdma_event_channel *own = rdma_create_event_channel();
    long chains = 0, struck = 0;
    check(own != NULL, "rdma_create_event_channel");
    while (seconds() < until) {
        int good = 1;
        connect_both(own);
        while (good && seconds() < until) {
            good = chain(rand() % (CHAIN / 2), rand() % (CHAIN / 2 - 2));
            chains++;
        }
        struck += !good;
        rdma_disconnect(active.id);
        event(own, RDMA_CM_EVENT_DISCONNECTED);
        event(channel, RDMA_CM_EVENT_DISCONNECTED);
        close_end(&active);
        close_end(&passive);
    }
    printf("fence: %ld of %ld chains did not complete\n", struck, chains);
    return struck > 0;
}

int main(int count, char **arguments) {
    int times = count > 3 ? atoi(arguments[3]) : 10, struck = 0;
    address.sin_family = AF_INET;
    if (count < 3 || times < 1 || inet_pton(AF_INET, arguments[2], &address.sin_addr) != 1) {
        fprintf(stderr, "siw-faults accept ADDRESS [CONNECTIONS [same]] | fence ADDRESS [SECONDS]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    listen_there();
    if (strcmp(arguments[1], "fence") == 0) return fence(seconds() + times);
    pin(0);
    peer_cpu = count > 4 ? 0 : 1;
    for (int i = 0; i < times; i++) struck += accept_once();
    printf("accept: a message lay unread in %d of %d connections\n", struck, times);
    return struck > 0;
}
