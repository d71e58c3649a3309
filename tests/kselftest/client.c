// SPDX-License-Identifier: MIT
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "client.h"

struct receive {
	struct client *client;
	client_fn *fn;
	void *arg;
	int error;
	bool done;
};

int client_open(struct client *c)
{
	int one = 1, ret;

	memset(c, 0, sizeof(*c));
	c->sock = nl_socket_alloc();
	if (!c->sock)
		return -ENOMEM;
	nl_socket_disable_auto_ack(c->sock);
	/* as small as it goes: the kernel makes a dump's messages as large as the reads were */
	nl_socket_set_msg_buf_size(c->sock, 4096);
	ret = genl_connect(c->sock);
	if (!ret) {
		c->family = genl_ctrl_resolve(c->sock, VSAMP_GENL_NAME);
		ret = c->family < 0 ? c->family : 0;
	}
	if (ret) {
		client_close(c);
		return ret == -NLE_OBJ_NOTFOUND ? -ENOENT : -EIO;
	}
	setsockopt(nl_socket_get_fd(c->sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(c->sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(c->sock), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one,
		   sizeof(one));
	return 0;
}

void client_close(struct client *c)
{
	if (c->sock)
		nl_socket_free(c->sock);
	if (c->sent)
		nlmsg_free(c->sent);
	c->sock = NULL;
	c->sent = NULL;
}

struct nl_msg *client_request(struct client *c, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(1 << 16);

	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, c->family, 0, NLM_F_REQUEST | flags, cmd,
		    VSAMP_GENL_VERSION);
	return msg;
}

/* Which attribute of the request stands at this offset; the innermost one */
static int attr_at(struct nl_msg *msg, uint32_t offset)
{
	const struct nlmsghdr *h = nlmsg_hdr(msg);

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset + NLA_HDRLEN > h->nlmsg_len)
		return 0;
	return nla_type((const struct nlattr *)((const char *)h + offset));
}

static void take_refusal(struct client *c, const struct nlmsghdr *h, const struct nlmsgerr *e)
{
	size_t skip = sizeof(*e);
	struct nlattr *attrs[NLMSGERR_ATTR_MISS_TYPE + 1] = {};
	struct nlattr *a;
	int rem;

	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - sizeof(e->msg);
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	nla_for_each_attr(a, (struct nlattr *)((char *)e + NLMSG_ALIGN(skip)),
			  (int)(h->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip)), rem)
		if (nla_type(a) <= NLMSGERR_ATTR_MISS_TYPE)
			attrs[nla_type(a)] = a;
	if (attrs[NLMSGERR_ATTR_MSG])
		snprintf(c->text, sizeof(c->text), "%s", nla_get_string(attrs[NLMSGERR_ATTR_MSG]));
	if (attrs[NLMSGERR_ATTR_OFFS] && c->sent)
		c->bad_attr = attr_at(c->sent, nla_get_u32(attrs[NLMSGERR_ATTR_OFFS]));
	if (attrs[NLMSGERR_ATTR_MISS_TYPE])
		c->miss_attr = nla_get_u32(attrs[NLMSGERR_ATTR_MISS_TYPE]);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct receive *r = arg;

	take_refusal(r->client, (const struct nlmsghdr *)((char *)e - NLMSG_HDRLEN), e);
	r->error = e->error;
	r->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct receive *r = arg;

	r->done = true;
	return NL_STOP;
}

/* A dump's end carries its error, like a refusal but for the request's header */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct receive *r = arg;
	const struct nlmsghdr *h = nlmsg_hdr(msg);

	if (nlmsg_datalen(h) >= (int)sizeof(int))
		memcpy(&r->error, nlmsg_data(h), sizeof(int));
	r->done = true;
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct receive *r = arg;
	struct genlmsghdr *g = genlmsg_hdr(nlmsg_hdr(msg));

	if (r->fn)
		r->fn(genlmsg_attrdata(g, 0), genlmsg_attrlen(g, 0), r->arg);
	return NL_OK;
}

int client_send(struct client *c, struct nl_msg *msg)
{
	int ret;

	if (c->sent)
		nlmsg_free(c->sent);
	c->sent = msg;
	ret = nl_send_auto(c->sock, msg);
	return ret < 0 ? -EIO : 0;
}

int client_receive(struct client *c, client_fn *fn, void *arg)
{
	struct receive r = { .client = c, .fn = fn, .arg = arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	c->text[0] = 0;
	c->bad_attr = 0;
	c->miss_attr = 0;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &r);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, &r);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, &r);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &r);
	while (!r.done) {
		int ret = nl_recvmsgs(c->sock, cb);

		if (ret < 0 && !r.done) {
			r.error = -EIO;
			break;
		}
	}
	nl_cb_put(cb);
	return r.error;
}

int client_do(struct client *c, struct nl_msg *msg)
{
	int ret;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	ret = client_send(c, msg);
	return ret ? ret : client_receive(c, NULL, NULL);
}

int client_dump(struct client *c, struct nl_msg *msg, client_fn *fn, void *arg)
{
	int ret;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_DUMP;
	ret = client_send(c, msg);
	return ret ? ret : client_receive(c, fn, arg);
}
