/*
 * A ping-pong over TCP, as short as C can have it: what half a round trip costs where nothing is above the socket.
 *
 *   pingpong serve spin|block SIZE LIMIT             prints "listening on PORT", answers one peer until it leaves
 *   pingpong PORT  spin|block SIZE LIMIT WARM_UP SECONDS   measures against it on loopback, prints one JSON object
 *
 * SIZE in bytes, times in seconds; after LIMIT either end is ended by an alarm, whatever it waits for. "spin" asks a socket that never
 * blocks again and again, "block" sleeps in recv(2).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_SAMPLES (1u << 24)

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns 0 where the peer has left. */
static int receive_all(int socket, char *into, size_t size, int flags) {
    for (size_t done = 0; done < size;) {
        ssize_t count = recv(socket, into + done, size - done, flags);
        if (count > 0) {
            done += (size_t)count;
        } else if (count == 0 || errno == ECONNRESET) {
            return 0;
        } else if (errno != EAGAIN && errno != EINTR) {
            fail("recv");
        }
    }
    return 1;
}

static void send_all(int socket, const char *from, size_t size, int flags) {
    for (size_t done = 0; done < size;) {
        ssize_t count = send(socket, from + done, size - done, flags | MSG_NOSIGNAL);
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EAGAIN && errno != EINTR) {
            fail("send");
        }
    }
}

static int connected(int socket) {
    int on = 1;
    if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        fail("TCP_NODELAY");
    }
    return socket;
}

static void serve(char *buffer, size_t size, int flags) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        fail("listen");
    }
    printf("listening on %d\n", ntohs(address.sin_port));
    fflush(stdout);
    int peer = accept(listener, NULL, NULL);
    if (peer < 0) {
        fail("accept");
    }
    connected(peer);
    while (receive_all(peer, buffer, size, flags)) {
        send_all(peer, buffer, size, flags);
    }
}

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* In microseconds, half of the round trip. */
static double percentile(const uint32_t *sorted, size_t count, double percent) {
    size_t rank = (size_t)((double)count * percent / 100);
    return sorted[rank < count ? rank : count - 1] / 2e3;
}

static void measure(int port, char *buffer, size_t size, int flags, double warm_up, double seconds) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    uint32_t *samples = calloc(MOST_SAMPLES, sizeof *samples);
    if (samples == NULL || peer < 0 || connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("connect");
    }
    connected(peer);
    uint64_t start = now() + (uint64_t)(warm_up * 1e9);
    uint64_t end = start + (uint64_t)(seconds * 1e9);
    size_t count = 0;
    for (uint64_t before = now(); before < end && count < MOST_SAMPLES;) {
        send_all(peer, buffer, size, flags);
        if (!receive_all(peer, buffer, size, flags)) {
            fprintf(stderr, "the peer has left\n");
            exit(1);
        }
        uint64_t after = now();
        if (before >= start) {
            samples[count++] = after - before > UINT32_MAX ? UINT32_MAX : (uint32_t)(after - before);
        }
        before = after;
    }
    if (count == 0) {
        fprintf(stderr, "nothing came back in time\n");
        exit(1);
    }
    qsort(samples, count, sizeof *samples, ascending);
    printf("{\"messages\":%zu,\"minimum\":%.3f,\"p50\":%.3f,\"p99\":%.3f,\"p999\":%.3f,\"maximum\":%.3f}\n", count, samples[0] / 2e3,
           percentile(samples, count, 50), percentile(samples, count, 99), percentile(samples, count, 99.9), samples[count - 1] / 2e3);
}

int main(int count, char **arguments) {
    int serves = count == 5 && strcmp(arguments[1], "serve") == 0;
    if (!serves && count != 7) {
        fprintf(stderr, "usage: pingpong serve spin|block SIZE LIMIT | pingpong PORT spin|block SIZE LIMIT WARM_UP SECONDS\n");
        return 2;
    }
    int flags = strcmp(arguments[2], "spin") == 0 ? MSG_DONTWAIT : 0;
    size_t size = strtoul(arguments[3], NULL, 10);
    char *buffer = calloc(size == 0 ? 1 : size, 1);
    if (size == 0 || buffer == NULL) {
        fprintf(stderr, "SIZE is 1 or more bytes\n");
        return 2;
    }
    alarm((unsigned)atoi(arguments[4]));
    if (serves) {
        serve(buffer, size, flags);
    } else {
        measure(atoi(arguments[1]), buffer, size, flags, atof(arguments[5]), atof(arguments[6]));
    }
    return 0;
}
