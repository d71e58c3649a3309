/* SPDX-License-Identifier: MIT */
/*
 * A client of the control family on libnl-genl: independent of the library, so that both would have
 * to be wrong in the same way. One thread a client.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "vsamp.h"

struct client {
	struct nl_sock *sock;
	int family;
	int maxattr;
	char text[256]; /* of the last refusal, "" = none came */
	int bad_attr;	/* type of the attribute that the refusal points to, 0 = none */
	int miss_attr;	/* type of the attribute that it misses, 0 = none */
	struct nl_msg *sent;
};

/* Connect; 0 or a negative errno value */
int client_open(struct client *c);
void client_close(struct client *c);

/* A request, to be filled with nla_put_*() and given to one of the two below, which free it */
struct nl_msg *client_request(struct client *c, int cmd, int flags);

/* Send it and take the acknowledgment: 0, or the negative errno value of the refusal */
int client_do(struct client *c, struct nl_msg *msg);

/* Send a dump request; the attributes of each message, len bytes of them, go to fn */
typedef void client_fn(struct nlattr *attrs, int len, void *arg);
int client_dump(struct client *c, struct nl_msg *msg, client_fn *fn, void *arg);

/* The two halves of client_dump(): a dump may be read by another than who asked for it */
int client_send(struct client *c, struct nl_msg *msg);
int client_receive(struct client *c, client_fn *fn, void *arg);

#endif
