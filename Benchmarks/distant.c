/* Serves the files of a directory over HTTP/1.1 as if it were at the other end of a long link: each connection, and each answer on it, comes
 * so many milliseconds late. Connections stay open. A thread for each.
 *
 *   cc -O2 -pthread -o distant distant.c
 *   distant PORT MILLISECONDS DIRECTORY */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int content;
static struct timespec delay;

static void fail(const char *what) {
    fprintf(stderr, "distant: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int send_all(int peer, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(peer, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) return -1;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}

static int answer(int peer, const char *request) {
    char path[512], head[512];
    struct stat status;
    if (sscanf(request, "GET /%511s HTTP/1.1", path) != 1 || strstr(path, "..")) return -1;
    int file = openat(content, path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) {
        const char *none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        if (file >= 0) close(file);
        return send_all(peer, none, strlen(none));
    }
    size_t size = (size_t)status.st_size;
    int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nETag: \"%jx-%zx\"\r\n\r\n", size, (uintmax_t)status.st_mtime, size);
    char *bytes = malloc((size_t)length + size);
    if (!bytes) fail("malloc");
    memcpy(bytes, head, (size_t)length);
    int failed = pread(file, bytes + length, size, 0) != (ssize_t)size || send_all(peer, bytes, (size_t)length + size);
    free(bytes);
    close(file);
    return failed ? -1 : 0;
}

static void *serve(void *argument) {
    int peer = (int)(intptr_t)argument, one = 1;
    char request[8192];
    size_t held = 0;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    nanosleep(&delay, NULL);
    for (;;) {
        ssize_t got = recv(peer, request + held, sizeof request - 1 - held, 0);
        if (got <= 0) break;
        held += (size_t)got;
        request[held] = 0;
        if (!strstr(request, "\r\n\r\n")) {
            if (held == sizeof request - 1) break;
            continue;
        }
        nanosleep(&delay, NULL);
        if (answer(peer, request) != 0) break;
        held = 0;
    }
    close(peer);
    return NULL;
}

int main(int count, char **words) {
    if (count != 4) return fprintf(stderr, "usage: distant PORT MILLISECONDS DIRECTORY\n"), 2;
    long milliseconds = atol(words[2]);
    delay = (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000};
    content = open(words[3], O_RDONLY | O_DIRECTORY);
    if (content < 0) fail(words[3]);
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0) fail("listen");
    for (;;) {
        int peer = accept(listener, NULL, NULL);
        pthread_t thread;
        if (peer < 0) continue;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)peer) != 0) fail("pthread_create");
        pthread_detach(thread);
    }
}
