/* SPDX-License-Identifier: MIT */
/* A generic netlink conversation, with the kernel's texts for refusals */
#ifndef NETLINK_H
#define NETLINK_H

#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

/* The largest request: VSAMP_PIDS_MAX pids of 8 bytes, a CPU list, the events */
#define NETLINK_REQUEST_MAX 32768

struct netlink {
	struct mnl_socket *socket;
	uint16_t family;
	uint8_t version;
	uint32_t seq;
	char request[NETLINK_REQUEST_MAX];
};

struct netlink_error {
	int code;	 /* negative errno value */
	uint32_t offset; /* of the attribute at fault in the request, 0 = none told */
	char text[256];	 /* of the kernel, "" = none */
};

/* Finds the family; -ENOENT: there is none */
int netlink_open(struct netlink *nl, const char *family);
void netlink_close(struct netlink *nl);

/* The header of a new request, in nl's buffer */
struct nlmsghdr *netlink_request(struct netlink *nl, uint8_t cmd, uint16_t flags);

/*
 * Sends a request and reads until it is answered: the ACK, or the end of the dump. each is called
 * for every message of data and returns 0, or a negative errno value that becomes the result.
 */
int netlink_talk(struct netlink *nl, struct nlmsghdr *nlh,
		 int (*each)(const struct nlmsghdr *nlh, void *arg), void *arg,
		 struct netlink_error *e);

/* Attributes by type, NULL where absent or too short for what netlink_u32/u64 would read */
void netlink_parse(const struct nlmsghdr *nlh, struct nlattr **attr, unsigned int max);
void netlink_parse_nested(const struct nlattr *nest, struct nlattr **attr, unsigned int max);

/* The value; 0 for an attribute that is NULL or too short */
uint32_t netlink_u32(const struct nlattr *attr);
uint64_t netlink_u64(const struct nlattr *attr);

#endif
