// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

#define NETLINK_ANSWER_MAX 65536

static int family_message(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *a[CTRL_ATTR_MAX + 1];
	uint16_t *family = arg;

	netlink_parse(nlh, a, CTRL_ATTR_MAX);
	if (a[CTRL_ATTR_FAMILY_ID] && mnl_attr_get_payload_len(a[CTRL_ATTR_FAMILY_ID]) >= 2)
		*family = mnl_attr_get_u16(a[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

static int family_find(struct netlink *nl, const char *name)
{
	struct netlink_error e;
	struct nlmsghdr *nlh;
	uint16_t family = 0;
	int ret;

	nl->family = GENL_ID_CTRL;
	nl->version = 1;
	nlh = netlink_request(nl, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, name);
	ret = netlink_talk(nl, nlh, family_message, &family, &e);
	nl->family = family;
	return ret ? ret : family ? 0 : -ENOENT;
}

int netlink_open(struct netlink *nl, const char *family)
{
	int on = 1, ret;

	nl->seq = 0;
	nl->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!nl->socket)
		return -errno;
	if (mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_setsockopt(nl->socket, NETLINK_EXT_ACK, &on, sizeof(on)) < 0 ||
	    mnl_socket_setsockopt(nl->socket, NETLINK_CAP_ACK, &on, sizeof(on)) < 0)
		ret = -errno;
	else
		ret = family_find(nl, family);
	if (ret)
		netlink_close(nl);
	return ret;
}

void netlink_close(struct netlink *nl)
{
	mnl_socket_close(nl->socket);
	nl->socket = NULL;
}

struct nlmsghdr *netlink_request(struct netlink *nl, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->request);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = nl->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	genl->cmd = cmd;
	genl->version = nl->version;
	return nlh;
}

struct attrs {
	struct nlattr **attr;
	unsigned int max;
};

static int attrs_keep(const struct nlattr *attr, void *arg)
{
	const struct attrs *attrs = arg;
	unsigned int type = mnl_attr_get_type(attr);

	if (type <= attrs->max)
		attrs->attr[type] = (struct nlattr *)attr;
	return MNL_CB_OK;
}

void netlink_parse(const struct nlmsghdr *nlh, struct nlattr **attr, unsigned int max)
{
	struct attrs attrs = { attr, max };

	memset(attr, 0, (max + 1) * sizeof(*attr));
	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), attrs_keep, &attrs);
}

void netlink_parse_nested(const struct nlattr *nest, struct nlattr **attr, unsigned int max)
{
	struct attrs attrs = { attr, max };

	memset(attr, 0, (max + 1) * sizeof(*attr));
	mnl_attr_parse_nested(nest, attrs_keep, &attrs);
}

uint32_t netlink_u32(const struct nlattr *attr)
{
	return attr && mnl_attr_get_payload_len(attr) >= 4 ? mnl_attr_get_u32(attr) : 0;
}

uint64_t netlink_u64(const struct nlattr *attr)
{
	return attr && mnl_attr_get_payload_len(attr) >= 8 ? mnl_attr_get_u64(attr) : 0;
}

struct conversation {
	int (*each)(const struct nlmsghdr *nlh, void *arg);
	void *arg;
	struct netlink_error *e;
};

static int extack_attr(const struct nlattr *attr, void *arg)
{
	struct netlink_error *e = arg;

	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
		snprintf(e->text, sizeof(e->text), "%.*s", (int)mnl_attr_get_payload_len(attr),
			 mnl_attr_get_str(attr));
	else if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_OFFS)
		e->offset = netlink_u32(attr);
	return MNL_CB_OK;
}

/* The extended acknowledgement behind skip bytes of a message's payload */
static void extack_read(const struct nlmsghdr *nlh, size_t skip, struct netlink_error *e)
{
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && mnl_nlmsg_get_payload_len(nlh) >= skip)
		mnl_attr_parse(nlh, skip, extack_attr, e);
}

static int conversation_data(const struct nlmsghdr *nlh, void *arg)
{
	struct conversation *c = arg;

	if (c->each && !c->e->code && mnl_nlmsg_get_payload_len(nlh) >= sizeof(struct genlmsghdr))
		c->e->code = c->each(nlh, c->arg);
	return MNL_CB_OK;
}

static int conversation_error(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlmsgerr *msg = mnl_nlmsg_get_payload(nlh);
	struct conversation *c = arg;
	size_t skip = sizeof(*msg);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return MNL_CB_STOP;
	/* Without CAP_ACK the whole request stands before the attributes */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += mnl_nlmsg_get_payload_len(&msg->msg);
	if (msg->error) {
		c->e->code = msg->error;
		extack_read(nlh, skip, c->e);
	}
	return MNL_CB_STOP;
}

static int conversation_done(const struct nlmsghdr *nlh, void *arg)
{
	struct conversation *c = arg;
	int code = 0;

	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(code))
		memcpy(&code, mnl_nlmsg_get_payload(nlh), sizeof(code));
	if (code < 0) {
		c->e->code = code;
		extack_read(nlh, sizeof(code), c->e);
	}
	return MNL_CB_STOP;
}

int netlink_talk(struct netlink *nl, struct nlmsghdr *nlh,
		 int (*each)(const struct nlmsghdr *nlh, void *arg), void *arg,
		 struct netlink_error *e)
{
	static mnl_cb_t ctl[NLMSG_MIN_TYPE] = {
		[NLMSG_ERROR] = conversation_error,
		[NLMSG_DONE] = conversation_done,
	};
	struct conversation c = { .each = each, .arg = arg, .e = e };
	char *answer = malloc(NETLINK_ANSWER_MAX);
	int ret = MNL_CB_OK;

	memset(e, 0, sizeof(*e));
	if (!answer) {
		e->code = -ENOMEM;
		return e->code;
	}
	if (mnl_socket_sendto(nl->socket, nlh, nlh->nlmsg_len) < 0)
		ret = MNL_CB_ERROR;
	while (ret == MNL_CB_OK) {
		ssize_t n = mnl_socket_recvfrom(nl->socket, answer, NETLINK_ANSWER_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		ret = n <= 0 ? MNL_CB_ERROR :
			       mnl_cb_run2(answer, n, nlh->nlmsg_seq,
					   mnl_socket_get_portid(nl->socket), conversation_data, &c,
					   ctl, NLMSG_MIN_TYPE);
	}
	if (ret == MNL_CB_ERROR && !e->code)
		e->code = errno ? -errno : -EIO;
	free(answer);
	return e->code;
}
