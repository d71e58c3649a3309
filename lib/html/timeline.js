// SPDX-License-Identifier: MIT
// timeline.js: the part of the time that is in view, and the rows that are drawn for it
const RULER_LABELS = 8; // at most

const timeline = byId("timeline");
const whole = wholeTime();
const zoomMin = Math.max(100, 1e-12 * Math.max(-whole.from, whole.to)); // ns, which numbers have digits for
const view = { from: whole.from, to: whole.to };
const lanes = []; // { plot, draw }

// All of the samples, and what tasks and counters have beyond them
function wholeTime() {
	let from = 0, to = Math.max(data.length, 1);

	data.spans.begin.forEach((begin, i) => {
		from = Math.min(from, begin);
		to = Math.max(to, begin + Math.max(data.spans.length[i], 0));
	});
	for (const { time } of data.tracks) {
		from = Math.min(from, time[0] ?? 0);
		to = Math.max(to, time[time.length - 1] ?? 0);
	}
	return { from, to };
}

const timeToX = (time, width) => (time - view.from) / (view.to - view.from) * width;
const timeAt = (event) => {
	const box = ruler.getBoundingClientRect();

	return view.from + (event.clientX - box.left) / box.width * (view.to - view.from);
};

function drawRuler() {
	const least = (view.to - view.from) / RULER_LABELS, power = 10 ** Math.floor(Math.log10(least));
	const step = power * [1, 2, 5, 10].find((n) => n * power >= least);

	ruler.replaceChildren();
	for (let t = Math.ceil(view.from / step) * step; t < view.to - step / 3; t += step) {
		const at = make("span", { class: "at" }, formatTime(t, step));

		at.style.left = `${100 * (t - view.from) / (view.to - view.from)}%`;
		ruler.append(at);
	}
}

function drawTimeline() {
	const all = view.from === whole.from && view.to === whole.to;

	drawRuler();
	for (const lane of lanes)
		if (!lane.row.hidden)
			lane.draw(lane.plot);
	byId("zoom-all").disabled = all;
	byId("range").textContent = all ? formatTime(view.to - view.from) : `${formatTime(view.from, (view.to - view.from) / 100)} to ${formatTime(view.to, (view.to - view.from) / 100)}`;
}

// Shows this part, as far as there is something
function setView(from, to) {
	const length = Math.min(Math.max(to - from, zoomMin), whole.to - whole.from);

	view.from = Math.min(Math.max(from, whole.from), whole.to - length);
	view.to = view.from + length;
	drawTimeline();
}

const zoom = (factor, at = (view.from + view.to) / 2) => setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
const move = (part) => setView(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

// Lanes that have a title together, which folds them
function addGroup(title, color, folded = false) {
	const button = make("button", { "aria-expanded": String(!folded), title }, title);
	const group = { rows: [], folded };

	if (color)
		button.style.color = color;
	button.addEventListener("click", () => {
		const open = button.getAttribute("aria-expanded") === "false";

		button.setAttribute("aria-expanded", open);
		for (const row of group.rows)
			row.hidden = !open;
		drawTimeline();
	});
	timeline.append(make("div", { class: "group" }, button));
	return group;
}

// A row of the timeline, with a second line of its label; @draw is called with its plot
function addLane(group, label, attributes, height, draw, more = "") {
	const plot = make("div", { class: "plot", "--lane": `${height}px` });
	const row = make("div", { class: "row lane", hidden: group.folded, ...attributes }, make("div", { class: "label", title: label }, label), plot);

	if (more)
		row.firstChild.append(make("small", {}, more));

	timeline.append(row);
	group.rows.push(row);
	lanes.push({ row, plot, draw });
	return plot;
}

// A canvas that fills a plot, ready to be drawn on in CSS pixels
function clearCanvas(plot) {
	const canvas = plot.querySelector("canvas") || plot.appendChild(make("canvas", { "aria-hidden": "true" }));
	const scale = devicePixelRatio || 1, width = plot.clientWidth, height = plot.clientHeight;
	const context = canvas.getContext("2d");

	canvas.width = Math.max(1, width * scale);
	canvas.height = Math.max(1, height * scale);
	context.scale(scale, scale);
	return { context, width, height };
}

const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Samples of an event by slice, as the data have them: what is below zero are slices without any
function unpackSlices(packed) {
	const slices = new Uint32Array(data.slices);
	let at = 0;

	for (const n of packed) {
		if (n < 0)
			at -= n;
		else
			slices[at++] = n;
	}
	return slices;
}

// How many slices make a bar, so that none is narrower than a pixel, and which are in view
function barsInView(width) {
	const slice = data.length / data.slices || 1;
	const bar = Math.max(1, Math.ceil((view.to - view.from) / slice / Math.max(width, 1)));
	const first = Math.max(0, Math.floor(view.from / slice / bar) * bar);
	const last = Math.min(data.slices, Math.ceil(view.to / slice));

	return { slice, bar, first, last };
}

function barOf(slices, begin, bar) {
	let sum = 0;

	for (let i = begin; i < begin + bar && i < slices.length; i++)
		sum += slices[i];
	return sum;
}

// The tallest bar of an event on any CPU, which all of its lanes are drawn by
const tallest = new Map(); // by event, of what was in view last

function tallestBar(e, rows, { bar, first, last }) {
	const key = `${bar} ${first} ${last}`;

	if (tallest.get(e)?.key !== key) {
		let most = 1;

		for (const row of rows)
			for (let i = first; i < last; i += bar)
				most = Math.max(most, barOf(row, i, bar));
		tallest.set(e, { key, most });
	}
	return tallest.get(e).most;
}

function drawSamples(plot, slices, rows, e) {
	const { context, width, height } = clearCanvas(plot);
	const bars = barsInView(width), { slice, bar, first, last } = bars;
	const most = tallestBar(e, rows, bars);

	context.fillStyle = colorOf(`--event-${e % 6}`);
	for (let i = first; i < last; i += bar) {
		const samples = barOf(slices, i, bar), tall = samples && Math.max(1, samples / most * (height - 2));
		const left = Math.round(timeToX(i * slice, width)), right = Math.round(timeToX((i + bar) * slice, width));

		context.fillRect(left, height - tall, Math.max(1, right - left), tall);
	}
}

function tellSamples(event, plot, slices, name) {
	const { slice, bar } = barsInView(plot.clientWidth);
	const begin = Math.max(0, Math.floor(timeAt(event) / slice / bar) * bar);

	return [[`${formatNumber(barOf(slices, begin, bar))} samples`, name],
		["", `from ${formatTime(begin * slice, slice)}, in ${formatTime(bar * slice)}`]];
}

function addSamples() {
	const height = data.cpus.length * data.events.length > 16 ? 14 : 26;

	data.events.forEach((event, e) => {
		const group = addGroup(event.name, eventColor(e));
		const rows = data.samples[e].map(unpackSlices);

		data.cpus.forEach((cpu, c) => {
			const total = rows[c].reduce((a, b) => a + b, 0), name = `${event.name} on CPU ${cpu}`;
			const plot = addLane(group, `CPU ${cpu}`,
				{ "data-kind": "samples", "data-event": e, "data-cpu": cpu, "data-samples": total, role: "img", "aria-label": `${name}: ${formatNumber(total)} samples` },
				height, (p) => drawSamples(p, rows[c], rows, e));

			setTip(plot, (pointer) => tellSamples(pointer, plot, rows[c], name));
		});
	});
}

const ruler = make("div", { class: "plot" });
timeline.append(make("div", { class: "row ruler" }, make("div", { class: "label" }, "Time"), ruler));
const cursor = make("div", { id: "cursor", hidden: true }), drag = make("div", { id: "drag", hidden: true });
timeline.append(cursor, drag);
let dragFrom = null;

const inPlot = (event) => event.clientX >= ruler.getBoundingClientRect().left && !event.target.closest("button");
const placeX = (event) => event.clientX - timeline.getBoundingClientRect().left - timeline.clientLeft;

timeline.addEventListener("pointerdown", (event) => {
	if (event.button || !inPlot(event))
		return;
	dragFrom = { x: placeX(event), time: timeAt(event) };
	timeline.setPointerCapture(event.pointerId);
});

timeline.addEventListener("pointermove", (event) => {
	cursor.hidden = !inPlot(event);
	cursor.style.left = `${placeX(event)}px`;
	cursor.style.height = drag.style.height = `${timeline.scrollHeight}px`;
	if (!dragFrom)
		return;
	drag.hidden = Math.abs(placeX(event) - dragFrom.x) < 4;
	drag.style.left = `${Math.min(placeX(event), dragFrom.x)}px`;
	drag.style.width = `${Math.abs(placeX(event) - dragFrom.x)}px`;
});

timeline.addEventListener("pointerup", (event) => {
	const from = dragFrom;

	dragFrom = null;
	if (from && !drag.hidden)
		setView(Math.min(from.time, timeAt(event)), Math.max(from.time, timeAt(event)));
	drag.hidden = true;
});

timeline.addEventListener("pointercancel", () => {
	dragFrom = null;
	drag.hidden = true;
});

timeline.addEventListener("pointerleave", () => { cursor.hidden = true; });
timeline.addEventListener("dblclick", (event) => { if (inPlot(event)) setView(whole.from, whole.to); });
timeline.addEventListener("wheel", (event) => {
	if (!inPlot(event) || (document.activeElement !== timeline && !event.ctrlKey))
		return;
	event.preventDefault();
	if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
		move(event.deltaX / 1000);
	else
		zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), timeAt(event));
}, { passive: false });

timeline.addEventListener("keydown", (event) => {
	const keys = { ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: () => setView(whole.from, whole.to), Escape: () => setView(whole.from, whole.to) };

	if (event.target !== timeline || !keys[event.key] || event.ctrlKey || event.metaKey)
		return;
	event.preventDefault();
	keys[event.key]();
});

byId("zoom-all").addEventListener("click", () => setView(whole.from, whole.to));
addSamples();
