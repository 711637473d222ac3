/*
 * A ping-pong over TCP, as short as C can have it: the cost of half a round trip if nothing is above the socket.
 *
 *   pingpong serve spin|block SIZE LIMIT             prints "listening on PORT", answers one peer until it leaves
 *   pingpong PORT  spin|block SIZE LIMIT WARM_UP SECONDS   measures against it on loopback, prints one JSON object
 *
 * SIZE in bytes, times in seconds; after LIMIT either end is ended by an alarm, whatever it waits for. "spin" asks a socket that never
 * blocks again and again, "block" sleeps in recv(2).
 */
#include "loopback.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MOST_SAMPLES (1u << 24)

/* Returns 0 if the peer has left. */
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

static void serve(char *buffer, size_t size, int flags) {
    int peer = accept_one();
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
    int peer = connect_to(port);
    uint32_t *samples = calloc(MOST_SAMPLES, sizeof *samples);
    if (samples == NULL) {
        fail("samples");
    }
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
    printf("{\"messages\":%zu,\"minimum\":%.3f,\"p50\":%.3f,\"p99\":%.3f,\"p999\":%.3f,\"maximum\":%.3f,\"congestionControl\":\"%s\"}\n", count,
           samples[0] / 2e3, percentile(samples, count, 50), percentile(samples, count, 99), percentile(samples, count, 99.9),
           samples[count - 1] / 2e3, congestion_control_of(peer));
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
