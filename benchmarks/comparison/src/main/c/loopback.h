/*
 * The parts that both ends of a program on loopback need: a peer over TCP, a clock, and an end if something fails. The environment
 * variable CONGESTION_CONTROL names the TCP congestion control of every socket, cubic for example; without it the system chooses.
 */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* In nanoseconds. */
static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int new_socket(void) {
    const char *congestion_control = getenv("CONGESTION_CONTROL");
    int fresh = socket(AF_INET, SOCK_STREAM, 0);
    if (fresh < 0) {
        fail("socket");
    }
    if (congestion_control != NULL
        && setsockopt(fresh, IPPROTO_TCP, TCP_CONGESTION, congestion_control, (socklen_t)strlen(congestion_control)) != 0) {
        fail(congestion_control);
    }
    return fresh;
}

/* The congestion control that the connection really has. */
static const char *congestion_control_of(int socket) {
    static char name[16 + 1];
    socklen_t length = sizeof name - 1;
    if (getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &length) != 0) {
        fail("TCP_CONGESTION");
    }
    return name;
}

static int without_delay(int socket) {
    int on = 1;
    if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        fail("TCP_NODELAY");
    }
    return socket;
}

/* Prints "listening on PORT", and returns the first peer; that one has the listener's congestion control. */
static int accept_one(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = new_socket();
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        fail("listen");
    }
    printf("listening on %d\n", ntohs(address.sin_port));
    fflush(stdout);
    int peer = accept(listener, NULL, NULL);
    if (peer < 0) {
        fail("accept");
    }
    return without_delay(peer);
}

static int connect_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    int peer = new_socket();
    if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("connect");
    }
    return without_delay(peer);
}

#endif
