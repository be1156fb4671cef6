/* The floor: the least a program can do to bring a file over HTTP/1.1 to disk. One blocking socket, one buffer, large writes.
 * It checks the status and the length and nothing else; Pawl is measured against its CPU time.
 *
 *   cc -O2 -o floor floor.c
 *   floor [-w WRITE_SIZE] [-r FIRST-LAST] -o FILE http://ADDRESS:PORT/PATH
 *
 * With -r the bytes are written at their place in FILE, so that several can share one file. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "floor: %s: %s\n", what, errno ? strerror(errno) : "unexpected answer");
    exit(1);
}

static void write_all(int file, const char *bytes, size_t count, off_t offset) {
    while (count > 0) {
        ssize_t written = pwrite(file, bytes, count, offset);
        if (written <= 0) fail("pwrite");
        bytes += written;
        count -= (size_t)written;
        offset += written;
    }
}

static int connect_to(const char *address, int port) {
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, address, &peer.sin_addr) != 1) fail("address");
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&peer, sizeof peer) != 0) fail("connect");
    return connection;
}

int main(int argc, char **argv) {
    size_t write_size = 1 << 20;
    const char *range = NULL, *target = NULL;
    for (int option; (option = getopt(argc, argv, "w:r:o:")) != -1;) {
        if (option == 'w') write_size = strtoul(optarg, NULL, 10);
        else if (option == 'r') range = optarg;
        else if (option == 'o') target = optarg;
        else return 64;
    }
    char address[64], path[1024];
    int port;
    if (optind != argc - 1 || !target || write_size < 4096 ||
        sscanf(argv[optind], "http://%63[0-9.]:%d%1023s", address, &port, path) != 3) {
        fprintf(stderr, "usage: floor [-w WRITE_SIZE] [-r FIRST-LAST] -o FILE http://ADDRESS:PORT/PATH\n");
        return 64;
    }

    int connection = connect_to(address, port);
    char request[2048];
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%d\r\n%s%s%sConnection: close\r\n\r\n", path,
                          address, port, range ? "Range: bytes=" : "", range ? range : "", range ? "\r\n" : "");
    if (write(connection, request, (size_t)length) != length) fail("request");

    char *buffer = malloc(write_size + 1);
    if (!buffer) fail("memory");
    size_t filled = 0;
    char *body = NULL;
    while (!body) {
        ssize_t count = recv(connection, buffer + filled, write_size - filled, 0);
        if (count <= 0) fail("response head");
        filled += (size_t)count;
        buffer[filled] = 0;
        body = strstr(buffer, "\r\n\r\n");
    }
    char *field = strcasestr(buffer, "\r\nContent-Length:");
    if (strncmp(buffer, range ? "HTTP/1.1 206" : "HTTP/1.1 200", 12) != 0 || !field || field > body) fail("response head");
    off_t left = (off_t)strtoll(field + 17, NULL, 10);
    off_t offset = range ? (off_t)strtoll(range, NULL, 10) : 0;

    int file = open(target, O_WRONLY | O_CREAT | (range ? 0 : O_TRUNC), 0644);
    if (file < 0) fail(target);
    filled -= (size_t)(body + 4 - buffer);
    memmove(buffer, body + 4, filled);
    for (;;) {
        if (filled == write_size || (off_t)filled == left) {
            write_all(file, buffer, filled, offset);
            offset += (off_t)filled;
            left -= (off_t)filled;
            filled = 0;
            if (left == 0) break;
        }
        ssize_t count = recv(connection, buffer + filled, write_size - filled, 0);
        if (count <= 0) fail("connection ended early");
        filled += (size_t)count;
    }
    return close(file) == 0 ? 0 : 1;
}
