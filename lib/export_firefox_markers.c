// SPDX-License-Identifier: MIT
/*
 * export_firefox_markers.c: a span is an interval, a tick mark an instant, and what it is called the
 * marker's name; a schema a kind tells what else it has. A counter's values are told by how much each
 * differs from the one before, and are added up by viewers; where it has none it is 0.
 */
#include <inttypes.h>
#include <math.h>

#include "export_firefox.h"

#define MS 1000000

enum { INSTANT = 0, INTERVAL = 1 }; /* phases */

int firefox_markers_add(struct firefox_markers *m, const struct export_timeline *timeline,
			size_t span)
{
	m->timeline = timeline;
	return intern_string(&m->names, timeline->span[span].name) < 0 ?
		       -ENOMEM :
		       buf_add(&m->spans, &span, sizeof(span));
}

static const struct vsamp_span *span_of(const struct firefox_markers *m, size_t marker)
{
	return &m->timeline->span[((const size_t *)m->spans.data)[marker]];
}

void firefox_markers_free(struct firefox_markers *m)
{
	intern_free(&m->names);
	buf_free(&m->spans);
}

static void put_data(FILE *out, const struct firefox_markers *m, size_t marker)
{
	const struct vsamp_span *span = span_of(m, marker);
	char told[EXPORT_TOLD_TEXT];

	fprintf(out, "{\"type\":\"%s\",\"domain\":", export_kinds[span->kind]);
	export_json(out, span->domain);
	if (!span->tick) {
		fputs(",\"own\":", out);
		export_ns(out, span->exclusive, MS);
	}
	if (span->cut)
		fputs(",\"cut\":\"did not end before the recording or its thread did\"", out);
	export_told_text(m->timeline, ((const size_t *)m->spans.data)[marker], told);
	if (*told) {
		fputs(",\"metadata\":", out);
		export_json(out, told);
	}
	putc('}', out);
}

void firefox_put_markers(FILE *out, struct firefox_markers *m, size_t first, uint64_t begin)
{
	size_t n = m->spans.size / sizeof(size_t);

	fprintf(out, ",\n\"markers\":{\"length\":%zu,\"data\":[", n);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n" : "", out);
		put_data(out, m, i);
	}
	fputs("],\"name\":[", out);
	for (size_t i = 0; i < n; i++) /* known: no memory is taken */
		fprintf(out, "%s%" PRId64, i ? "," : "",
			(int64_t)first + intern_string(&m->names, span_of(m, i)->name));
	fputs("],\"startTime\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		export_ns(out, span_of(m, i)->begin - begin, MS);
	}
	fputs("],\"endTime\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		if (span_of(m, i)->tick)
			fputs("null", out);
		else
			export_ns(out, span_of(m, i)->end - begin, MS);
	}
	fputs("],\"phase\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%d", i ? "," : "", span_of(m, i)->tick ? INSTANT : INTERVAL);
	fputs("],\"category\":[", out);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ",0" : "0", out);
	fputs("]}", out);
}

void firefox_put_schemas(FILE *out)
{
	for (size_t i = 0; i < EXPORT_KINDS; i++)
		fprintf(out,
			"%s\n{\"name\":\"%s\",\"chartLabel\":\"{marker.name}\","
			"\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.data.domain}\","
			"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"data\":["
			"{\"key\":\"domain\",\"label\":\"Domain\",\"format\":\"string\",\"searchable\":true},"
			"{\"key\":\"own\",\"label\":\"Time of its own\",\"format\":\"duration\"},"
			"{\"key\":\"metadata\",\"label\":\"Metadata\",\"format\":\"string\",\"searchable\":true},"
			"{\"key\":\"cut\",\"label\":\"End\",\"format\":\"string\"}]}",
			i ? "," : "", export_kinds[i]);
}

static void put_values(FILE *out, const struct vsamp_track *track)
{
	double before = 0;

	for (size_t i = 0; i < track->points; i++) {
		double value = isnan(track->point[i].value) ? 0 : track->point[i].value;

		fprintf(out, "%s%.17g", i ? "," : "", value - before);
		before = value;
	}
}

void firefox_put_counter(FILE *out, const struct vsamp_track *track, size_t thread, uint32_t pid,
			 uint64_t begin)
{
	fputs("\n{\"name\":", out);
	export_json(out, track->name);
	fputs(",\"category\":", out);
	export_json(out, track->group);
	fputs(",\"description\":", out);
	export_json(out, track->unit);
	fprintf(out,
		",\"pid\":\"%" PRIu32 "\",\"mainThreadIndex\":%zu,\"display\":{"
		"\"graphType\":\"line-accumulated\",\"unit\":\"\",\"color\":\"green\","
		"\"markerSchemaLocation\":null,\"sortWeight\":50,\"label\":",
		pid, thread);
	export_json(out, track->name);
	fputs(",\"tooltipRows\":[{\"type\":\"value\",\"source\":\"accumulated\","
	      "\"format\":{\"unit\":\"number\"},\"label\":",
	      out);
	export_json(out, *track->unit ? track->unit : "value");
	fputs("}]},\"samples\":{\"time\":[", out);
	for (size_t i = 0; i < track->points; i++) {
		fputs(i ? "," : "", out);
		export_ns(out, track->point[i].time - begin, MS);
	}
	fputs("],\"count\":[", out);
	put_values(out, track);
	fprintf(out, "],\"length\":%zu}}", track->points);
}
