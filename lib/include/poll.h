// <poll.h>: waiting for file descriptors.
#pragma once
#pragma toft source("sys/poll.toft")

#define POLLIN 0x001
#define POLLPRI 0x002
#define POLLOUT 0x004
#define POLLERR 0x008
#define POLLHUP 0x010
#define POLLNVAL 0x020

typedef unsigned long nfds_t;

struct pollfd {
    int fd;
    short events;
    short revents;
};

// n is at most numelts(fds); what is more throws Array_bounds.
int poll(struct pollfd ?fds, nfds_t n, int timeout);
