#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: store.py FOLDER

A profile store that takes what is pushed as the published interfaces have it: POST /ingest of
Pyroscope, a multipart form; POST /profiles/writeraw of Parca, JSON of its WriteRawRequest. Each is
checked and written to FOLDER, as N.json and the profile as N.pb.gz; what is wrong is refused by 400
with the reason. Its port is in FOLDER/port. The first request of all is refused by 503, as if the
store just came up.
"""
import base64
import email
import gzip
import http.server
import json
import os
import re
import sys
import urllib.parse

UNITS = {"samples", "objects", "bytes"}
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*$")


def need(condition, text):
    if not condition:
        raise ValueError(text)


def labels_of(name):
    match = re.fullmatch(r"([a-zA-Z0-9_.:-]+)\{(.*)\}", name)
    need(match, "name: %r" % name)
    labels = dict(pair.split("=", 1) for pair in match[2].split(",") if pair)
    need(all(LABEL.match(k) for k in labels), "labels: %r" % labels)
    return dict(labels, __name__=match[1])


def ingest(handler, body, query):
    need(set(query) <= {"name", "from", "until", "format", "spyName"}, "query: %r" % query)
    need(query.get("format") == "pprof", "format")
    begin, end = int(query["from"]), int(query["until"])
    need(0 < begin <= end < 1e11, "from %d until %d" % (begin, end))
    head = ("Content-Type: %s\r\n\r\n" % handler.headers["Content-Type"]).encode()
    form = email.message_from_bytes(head + body)
    need(form.get_content_type() == "multipart/form-data" and form.is_multipart(), "no form")
    files = {}
    for part in form.get_payload():
        need(part.get_filename(), "a field that is no file")
        files[part.get_param("name", header="content-disposition")] = part.get_payload(decode=True)
    need(set(files) == {"profile", "sample_type_config"}, "fields: %r" % sorted(files))
    types = json.loads(files["sample_type_config"])
    for t in types.values():
        need(t["units"] in UNITS and t["aggregation"] in ("sum", "average"), "type: %r" % t)
        need(isinstance(t["sampled"], bool) and isinstance(t["display-name"], str), "type: %r" % t)
    return {"labels": labels_of(query["name"]), "from": begin, "until": end,
            "types": sorted(types)}, files["profile"]


def writeraw(handler, body, _query):
    need(handler.headers["Content-Type"] == "application/json", "Content-Type")
    request = json.loads(body)
    need(set(request) == {"normalized", "series"} and request["normalized"] is True, "request")
    need(len(request["series"]) == 1, "series")
    series = request["series"][0]
    need(set(series) == {"labels", "samples"} and len(series["samples"]) == 1, "series")
    need(set(series["labels"]) == {"labels"}, "labels")
    labels = {}
    for label in series["labels"]["labels"]:
        need(set(label) == {"name", "value"} and LABEL.match(label["name"]), "label: %r" % label)
        labels[label["name"]] = label["value"]
    need("__name__" in labels, "no name")
    need(set(series["samples"][0]) == {"raw_profile"}, "sample")
    return {"labels": labels}, base64.b64decode(series["samples"][0]["raw_profile"], validate=True)


class Handler(http.server.BaseHTTPRequestHandler):
    calls = 0
    kept = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, strict_parsing=bool(url.query)))
        take = {"/ingest": ingest, "/profiles/writeraw": writeraw}.get(url.path)
        Handler.calls += 1
        if Handler.calls == 1:
            self.answer(503, "not yet")
            return
        try:
            need(take, "there is no %s" % url.path)
            told, profile = take(self, body, query)
            gzip.decompress(profile)
        except (ValueError, KeyError, TypeError, OSError) as e:
            self.answer(400, "%s: %s" % (type(e).__name__, e))
            return
        Handler.kept += 1
        told["tenant"] = self.headers["X-Scope-OrgID"]
        with open("%d.json" % Handler.kept, "w", encoding="utf-8") as f:
            json.dump(told, f)
        with open("%d.pb.gz" % Handler.kept, "wb") as f:
            f.write(profile)
        self.answer(200, "{}")

    def answer(self, code, text):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_args):
        pass


os.chdir(sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w", encoding="ascii") as port:
    port.write("%d" % server.server_port)
os.rename("port.new", "port")
server.serve_forever()
