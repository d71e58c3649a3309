// SPDX-License-Identifier: MIT
// lanes.js: tasks and events of threads, and counters, below the samples
const KINDS = [ // by number of the kind
	{ kind: "task", label: "Tasks" },
	{ kind: "overlapped", label: "Overlapped tasks" },
	{ kind: "event", label: "Events" },
	{ kind: "region", label: "Regions" },
	{ kind: "frame", label: "Frames" },
	{ kind: "marker", label: "Markers" },
	{ kind: "wait", label: "Waits" },
	{ kind: "pause", label: "Paused" },
	{ kind: "metadata", label: "Metadata" },
];
const LANES_MAX = 32; // of a kind and thread: what is deeper is in the last
const spans = data.spans.begin.map((begin, i) => ({
	thread: data.spans.thread[i],
	kind: data.spans.kind[i],
	begin,
	length: Math.max(data.spans.length[i], 0),
	tick: data.spans.length[i] < 0,
	inclusive: data.spans.inclusive[i], // without pauses
	own: data.spans.own[i],
	depth: data.spans.depth[i],
	cut: data.spans.cut[i],
	name: text(data.spans.name[i]) || "(no name)",
	domain: text(data.spans.domain[i]),
	told: data.spans.told.length ? text(data.spans.told[i]) : "",
}));

const threadName = ([pid, tid, name]) => `${text(name) || "thread"} (${pid === tid ? pid : `${pid}, thread ${tid}`})`;

// Spans in lanes: each in the first that is free, from its depth on
function placeSpans(list) {
	const placed = [], ends = [];

	for (const span of list) {
		let lane = Math.min(span.depth, LANES_MAX - 1);

		while (lane < LANES_MAX - 1 && ends[lane] > span.begin)
			lane++;
		ends[lane] = Math.max(ends[lane] ?? -Infinity, span.begin + Math.max(span.length, 1));
		(placed[lane] ||= []).push(span);
	}
	return placed;
}

function tellSpan(span) {
	const lines = [[span.name, span.domain ? `in ${span.domain}` : ""]];

	if (span.tick)
		lines.push(["", `at ${formatTime(span.begin, 1)}`]);
	else
		lines.push([formatTime(span.length), `from ${formatTime(span.begin, 1)}${span.own < span.length ? `, ${formatTime(span.own)} of its own` : ""}`]);
	if (span.cut)
		lines.push(["", "did not end before the recording or its thread did"]);
	if (span.told)
		lines.push(["", span.told]);
	return lines;
}

function makeMark(kind, span, left, width) {
	const mark = make("div", {
		class: `${kind}${span.cut ? " cut" : ""}`, "--hue": hueOf(span.name), "data-name": span.name,
		"data-begin": span.begin, "data-length": span.tick ? null : span.length,
	});

	mark.style.left = `${left}px`;
	if (width !== null)
		mark.style.width = `${width}px`;
	setTip(mark, () => tellSpan(span));
	return mark;
}

// An event is a tick mark; one that ended has a line up to there
function drawTicks(plot, list, width) {
	list.forEach((span, i) => {
		const left = timeToX(span.begin, width), right = timeToX(span.begin + span.length, width);
		const next = i + 1 < list.length ? timeToX(list[i + 1].begin, width) : width;

		if (right < 0 || left > width)
			return;
		if (!span.tick)
			plot.append(makeMark("duration", span, left, Math.max(right - left, 2)));
		if (left >= 0)
			plot.append(makeMark("tick", span, left, null));
		if (next - left > 40 && left >= 0) {
			const name = make("span", { class: "tick-name" }, span.name);

			name.style.left = `${left}px`;
			name.style.maxWidth = `${next - left - 4}px`;
			plot.append(name);
		}
	});
}

// Tasks; those that are too narrow to be told apart are one mark
function drawBars(plot, list, width) {
	let many = null;

	for (const span of list) {
		const left = timeToX(span.begin, width), right = timeToX(span.begin + span.length, width);

		if (right < 0 || left > width)
			continue;
		if (right - left < 2 && many && left - many.right < 1) {
			many.count++;
			many.right = Math.max(many.right, right, many.left + 2);
			many.mark.style.width = `${many.right - many.left}px`;
			many.mark.classList.add("many");
			continue;
		}
		const shown = Math.max(left, -2), mark = makeMark("span", span, shown, Math.max(Math.min(right, width + 2) - shown, 2));
		const at = { left: shown, right: Math.max(right, shown + 2), count: 1, mark };

		if (right - left > 24)
			mark.textContent = span.name;
		else
			mark.style.padding = 0;
		setTip(mark, () => (at.count > 1 ? [[`${at.count} tasks`, "here: zoom in"]] : tellSpan(span)));
		plot.append(mark);
		many = at;
	}
}

function drawSpans(plot, list, kind) {
	const marks = kind === "event" || kind === "marker" || kind === "metadata";

	plot.replaceChildren();
	if (marks && list.length < 2000)
		drawTicks(plot, list, plot.clientWidth);
	else
		drawBars(plot, list, plot.clientWidth);
}

function addThread(thread, number) {
	const own = spans.filter((span) => span.thread === number);

	if (!own.length)
		return;
	const group = addGroup(threadName(thread));

	KINDS.forEach(({ kind, label }, k) => {
		placeSpans(own.filter((span) => span.kind === k)).forEach((list, depth) => {
			const first = !group.rows.some((row) => row.dataset.kind === kind);

			addLane(group, first ? label : "", { "data-kind": kind, "data-thread": thread[1], "data-depth": depth, "data-count": list.length, role: "group", "aria-label": `${label} of ${threadName(thread)}, depth ${depth}: ${list.length}` },
				18, (plot) => drawSpans(plot, list, kind));
		});
	});
}

// The number of the last point that is not behind @time; -1: none
function pointAt(time, at) {
	let low = -1, high = time.length - 1;

	while (low < high) {
		const middle = Math.ceil((low + high) / 2);

		if (time[middle] <= at)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

// Whether it had this value for any time
const holds = (track, i) => track.time[i + 1] !== track.time[i];

// From each point up to the next one a step; where nothing is known, between what is, it is grey
function drawTrack(plot, track, most, least) {
	const { context, width, height } = clearCanvas(plot);
	const y = (value) => height - 1 - (value - least) / (most - least || 1) * (height - 3);
	const color = colorOf("--event-2"), grey = colorOf("--grid"), last = pointAt(track.time, view.to);

	for (let i = Math.max(0, pointAt(track.time, view.from)); i <= last; i++) {
		const left = Math.round(Math.max(timeToX(track.time[i], width), 0));
		const right = Math.round(Math.min(timeToX(track.time[i + 1] ?? whole.to, width), width));

		if (!holds(track, i))
			continue;
		if (track.value[i] === null) {
			context.fillStyle = grey;
			if (i + 1 < track.time.length)
				context.fillRect(left, 0, right - left, height);
			continue;
		}
		const top = y(track.value[i]), zero = y(Math.max(least, Math.min(0, most)));

		context.fillStyle = color;
		context.globalAlpha = 0.3;
		context.fillRect(left, Math.min(top, zero), right - left, Math.abs(zero - top));
		context.globalAlpha = 1;
		context.fillRect(left, top - 1, Math.max(right - left, 1), 1.5);
		if (i > 0 && track.value[i - 1] !== null && timeToX(track.time[i], width) >= 0)
			context.fillRect(left, Math.min(top, y(track.value[i - 1])) - 1, 1, Math.abs(top - y(track.value[i - 1])) + 1.5);
	}
}

// A value with its unit: of large ones thousands, millions and so on have a letter
function formatAmount(value, unit) {
	if (Math.abs(value) >= 1e21)
		return `${value.toExponential(3)} ${unit}`;
	const power = Math.abs(value) < 99999.5 ? 0 : Math.min(6, Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-9));
	const name = unit === "percent" ? "%" : unit;
	const number = Number((value / 1000 ** power).toPrecision(power ? 4 : 6)).toLocaleString("en-US", { maximumSignificantDigits: 6 });

	return `${number}${power || name ? " " : ""}${" kMGTPE"[power].trim()}${name}`;
}

const isPercent = (track) => track.unit === "percent" || track.unit === "%";

function addTrack(group, title, track) {
	const amount = (v) => formatAmount(v, track.unit);
	let most = 0, least = 0, any = false;

	track.value.forEach((v, i) => {
		if (v === null || !holds(track, i))
			return;
		any = true;
		most = Math.max(most, v);
		least = Math.min(least, v);
	});
	// percentages have one scale
	const top = isPercent(track) ? Math.max(100, most) : most;
	const range = least < 0 ? `${amount(least)} to ${amount(top)}` : `0 to ${amount(top)}`;
	const plot = addLane(group, track.name, { "data-kind": "track", "data-name": track.name, "data-points": track.time.length, "data-most": most, role: "img", "aria-label": `${title}, ${track.name}: from ${amount(least)} to ${amount(most)}` },
		36, (p) => drawTrack(p, track, top, least), any ? range : "no values");

	setTip(plot, (event) => {
		const i = pointAt(track.time, timeAt(event));

		return [[i < 0 || track.value[i] === null ? "no value" : amount(track.value[i]), `${track.name}, of at most ${amount(most)}`],
			["", `at ${formatTime(timeAt(event), (view.to - view.from) / 1000)}`]];
	});
}

// Of each what it counts for; those that tell less are folded, where there are many
function addTracks() {
	const titles = new Map();

	for (const track of data.tracks) {
		const title = track.pid ? `${track.group} (${track.pid})` : track.group;

		titles.set(title, [...(titles.get(title) || []), track]);
	}
	for (const [title, tracks] of titles) {
		const rest = tracks.filter((track) => !track.first), shown = addGroup(title);

		tracks.filter((track) => track.first).forEach((track) => addTrack(shown, title, track));
		if (!rest.length)
			continue;
		const folded = addGroup(`${title}: ${rest.length} more`, null, true);

		rest.forEach((track) => addTrack(folded, title, track));
	}
}

function noteTimeline() {
	const notes = [];

	if (data.spans.left)
		notes.push(`${formatNumber(data.spans.left)} shorter tasks and events are not in this page.`);
	if (data.tracks_left)
		notes.push(`${formatNumber(data.tracks_left)} counters are not in this page.`);
	if (data.tracks.some((track) => track.thinned))
		notes.push("Counters with many values are shown by their extremes.");
	byId("time-note").textContent = notes.join(" ");
}

data.threads.forEach(addThread);
addTracks();
noteTimeline();
drawTimeline();
new ResizeObserver(drawTimeline).observe(ruler);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimeline);
