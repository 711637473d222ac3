/*
 * A stream of frames over TCP, received each into its place: the calls that soft-iwarp makes for Writes of 1 MiB, and nothing else. The
 * time for that is the system's; there is no checksum, no request, no completion.
 *
 *   frames serve LIMIT                     prints "listening on PORT", sends to one peer until it leaves
 *   frames PORT LIMIT WARM_UP SECONDS      receives from it on loopback, prints one JSON object
 *
 * Times in seconds; after LIMIT either end is ended by an alarm, whatever it waits for. A message is cut into payloads of 65,472 bytes and
 * a rest, each in a frame of its own: 16 bytes before it (of which the first two are its length) and 4 after it. One writev(2) takes some
 * 256 KiB, one readv(2) what is left of a payload and all up to the next one.
 * An end that can go on no further polls for 50 us before it sleeps.
 */
#define _GNU_SOURCE
#include "loopback.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#define MESSAGE (1u << 20)
#define PAYLOAD 64704u
#define BATCH (256u << 10)
#define PARTS 32
#define HEADER 16
#define TRAILER 4
#define LOOKING 50000u

struct stream {
    int socket;
    int epoll;
    char *message;
    /* Of the message, where the payload under way begins. */
    size_t at;
};

static struct stream open_stream(int socket) {
    struct epoll_event all = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET};
    struct stream stream = {.socket = socket, .epoll = epoll_create1(0), .message = aligned_alloc(4096, MESSAGE)};
    if (stream.message == NULL || stream.epoll < 0 || fcntl(socket, F_SETFL, O_NONBLOCK) != 0
        || epoll_ctl(stream.epoll, EPOLL_CTL_ADD, socket, &all) != 0) {
        fail("epoll");
    }
    memset(stream.message, 1, MESSAGE);
    return stream;
}

static void await(const struct stream *stream) {
    struct epoll_event event;
    for (uint64_t start = now(); now() - start < LOOKING;) {
        if (epoll_wait(stream->epoll, &event, 1, 0) != 0) {
            return;
        }
    }
    epoll_wait(stream->epoll, &event, 1, -1);
}

static size_t payload(const struct stream *stream) {
    return MESSAGE - stream->at < PAYLOAD ? MESSAGE - stream->at : PAYLOAD;
}

static void next(struct stream *stream) {
    stream->at = (stream->at + payload(stream)) % MESSAGE;
}

/* Sends all of the parts; returns 0 if the peer has left. */
static int send_parts(const struct stream *stream, struct iovec *parts, int count, size_t left) {
    while (left > 0) {
        ssize_t sent = writev(stream->socket, parts, count);
        if (sent < 0) {
            if (errno == EPIPE || errno == ECONNRESET) {
                return 0;
            }
            if (errno != EAGAIN && errno != EINTR) {
                fail("writev");
            }
            sent = 0;
        }
        left -= (size_t)sent;
        if (left > 0) {
            for (; (size_t)sent >= parts->iov_len; parts++, count--) {
                sent -= (ssize_t)parts->iov_len;
            }
            parts->iov_base = (char *)parts->iov_base + sent;
            parts->iov_len -= (size_t)sent;
            await(stream);
        }
    }
    return 1;
}

static void serve(void) {
    struct stream stream = open_stream(accept_one());
    /* A trailer, and the header that comes after it. */
    char between[PARTS][TRAILER + HEADER] = {{0}};
    struct iovec parts[PARTS];
    for (int first = 1;; first = 0) {
        size_t bytes = 0;
        int count = 0;
        while (bytes < BATCH && count < PARTS) {
            size_t length = payload(&stream);
            char *begin = between[count];
            begin[TRAILER] = (char)(length >> 8);
            begin[TRAILER + 1] = (char)length;
            /* No trailer stands before the first header of all. */
            size_t skipped = first && count == 0 ? TRAILER : 0;
            parts[count++] = (struct iovec){begin + skipped, TRAILER + HEADER - skipped};
            parts[count++] = (struct iovec){stream.message + stream.at, length};
            bytes += TRAILER + HEADER - skipped + length;
            next(&stream);
        }
        if (!send_parts(&stream, parts, count, bytes)) {
            return;
        }
    }
}

/* Receives what there is, at least a byte. */
static size_t receive(const struct stream *stream, const struct iovec *parts, int count, size_t *calls) {
    while (1) {
        ssize_t received = readv(stream->socket, parts, count);
        ++*calls;
        if (received > 0) {
            return (size_t)received;
        }
        if (received == 0 || (errno != EAGAIN && errno != EINTR)) {
            fprintf(stderr, "the peer has left: %s\n", received == 0 ? "end of stream" : strerror(errno));
            exit(1);
        }
        await(stream);
    }
}

static void measure(int port, double warm_up, double seconds) {
    struct stream stream = open_stream(connect_to(port));
    unsigned char between[TRAILER + HEADER];
    size_t header = TRAILER;
    size_t left = 0;
    size_t bytes = 0, calls = 0;
    uint64_t start = now() + (uint64_t)(warm_up * 1e9);
    uint64_t end = start + (uint64_t)(seconds * 1e9);
    uint64_t time, begun = 0;
    while ((time = now()) < end) {
        if (begun == 0 && time >= start) {
            begun = time;
            bytes = 0;
            calls = 0;
        }
        struct iovec parts[] = {{stream.message + stream.at + payload(&stream) - left, left}, {between + header, sizeof between - header}};
        size_t wanted = left + sizeof between - header;
        size_t count = receive(&stream, left > 0 ? parts : parts + 1, left > 0 ? 2 : 1, &calls);
        bytes += count;
        if (count < left) {
            left -= count;
        } else {
            if (left > 0) {
                next(&stream);
            }
            header += count - left;
            left = 0;
            if (header == sizeof between) {
                header = 0;
                left = (size_t)between[TRAILER] << 8 | between[TRAILER + 1];
                if (left != payload(&stream)) {
                    fprintf(stderr, "a frame of %zu bytes where one of %zu was to come\n", left, payload(&stream));
                    exit(1);
                }
            }
        }
        if (count < wanted) {
            await(&stream);
        }
    }
    if (begun == 0 || bytes == 0) {
        fprintf(stderr, "nothing came in time\n");
        exit(1);
    }
    printf("{\"bytesPerSecond\":%.0f,\"callsPerMiB\":%.1f,\"congestionControl\":\"%s\"}\n", (double)bytes * 1e9 / (double)(time - begun),
           (double)calls * MESSAGE / (double)bytes, congestion_control_of(stream.socket));
}

int main(int count, char **arguments) {
    int serves = count == 3 && strcmp(arguments[1], "serve") == 0;
    if (!serves && count != 5) {
        fprintf(stderr, "usage: frames serve LIMIT | frames PORT LIMIT WARM_UP SECONDS\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    alarm((unsigned)atoi(arguments[2]));
    if (serves) {
        serve();
    } else {
        measure(atoi(arguments[1]), atof(arguments[3]), atof(arguments[4]));
    }
    return 0;
}
