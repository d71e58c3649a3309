// SPDX-License-Identifier: MIT
// flame.js: who called whom, as wide as the events; a click makes a frame as wide as the page
const ROW = 19; // pixels
const PART_MIN = 0.0006; // of the width, for a frame to be drawn

const flame = {
	box: byId("flame"),
	event: 0,
	focus: 0, // number of the frame + 1; 0: all
	children: [[]], // by number + 1
	frames: new Map(), // that are drawn, by number + 1
};

data.flame.parent.forEach((parent, i) => {
	flame.children.push([]);
	flame.children[parent].push(i + 1);
});

const flameTotal = (kind) => flame.children[0].reduce((sum, n) => sum + data.flame.counts[flame.event][kind][n - 1], 0);
const flameEvents = (n) => (n ? data.flame.counts[flame.event].events[n - 1] : flameTotal("events"));
const flameSamples = (n) => (n ? data.flame.counts[flame.event].samples[n - 1] : flameTotal("samples"));
const flameModule = (n) => (n ? text(data.flame.module[n - 1]) : "");
const flameName = (n) => {
	const name = n ? text(data.flame.name[n - 1]) : "all";

	return name === flameModule(n) ? baseName(name) : name;
};

// Colours tell modules apart; those of the kernel's side are blue
function flameHue(module) {
	return module.startsWith("[") ? 195 + hueOf(module) % 45 : 10 + hueOf(module) % 165;
}

function tellFrame(n) {
	const events = flameEvents(n), cut = data.flame.cut[n];
	const lines = [[flameName(n), flameModule(n)],
		["", `${formatPercent(events / (flameEvents(0) || 1))} of ${data.events[flame.event].name}: ${formatNumber(events)} events, ${formatNumber(flameSamples(n))} samples`]];

	if (flame.focus && n !== flame.focus)
		lines.push(["", `${formatPercent(events / (flameEvents(flame.focus) || 1))} of ${flameName(flame.focus)}`]);
	if (cut)
		lines.push(["", `${formatNumber(cut)} smaller callees are not in this page`]);
	return lines;
}

function makeFrame(n, depth, left, width, above) {
	const module = flameModule(n);
	const frame = make("button", {
		class: `frame${module ? "" : " plain"}${above ? " above" : ""}`, role: "treeitem", tabindex: -1,
		"--hue": flameHue(module), "data-name": flameName(n), "data-depth": depth, "data-events": flameEvents(n),
		"aria-label": `${flameName(n)}, ${formatPercent(flameEvents(n) / (flameEvents(0) || 1))}`,
	});

	frame.style.left = `${100 * left}%`;
	frame.style.width = `${100 * width}%`;
	frame.style.top = `${depth * ROW + 1}px`;
	if (width * flame.box.clientWidth > 24)
		frame.textContent = flameName(n);
	else
		frame.classList.add("narrow");
	frame.addEventListener("click", () => zoomFlame(n));
	setTip(frame, () => tellFrame(n));
	flame.frames.set(n, { frame, depth, left });
	return frame;
}

// Callees of a frame below it, the largest first; how deep they go
function layFrames(list, n, depth, left, scale) {
	const order = flame.children[n].filter((c) => flameEvents(c) * scale >= PART_MIN);
	let deepest = depth;

	order.sort((a, b) => flameEvents(b) - flameEvents(a) || a - b);
	list.push(makeFrame(n, depth, left, Math.min(1, flameEvents(n) * scale), false));
	for (const c of order) {
		deepest = Math.max(deepest, layFrames(list, c, depth + 1, left, scale));
		left += flameEvents(c) * scale;
	}
	return deepest;
}

const parentOf = (n) => data.flame.parent[n - 1];

function drawFlame() {
	const above = [], list = [], events = flameEvents(flame.focus);

	for (let n = flame.focus; n > 0; n = parentOf(n))
		above.unshift(parentOf(n));
	flame.frames.clear();
	above.forEach((n, depth) => list.push(makeFrame(n, depth, 0, 1, true)));
	const deepest = layFrames(list, flame.focus, above.length, 0, events ? 1 / events : 0);

	flame.box.replaceChildren(...list);
	flame.box.style.height = `${(deepest + 1) * ROW + 4}px`;
	flame.frames.get(flame.focus).frame.tabIndex = 0;
	byId("unzoom").disabled = !flame.focus;
	byId("flame-note").textContent = events ? noteFlame() : `No samples of ${data.events[flame.event].name}`;
	searchFlame();
}

function noteFlame() {
	const cut = Object.values(data.flame.cut).reduce((a, b) => a + b, 0);

	return cut ? `${formatNumber(cut)} frames that are too small, and what they called, are not in this page; they count in their callers.` : "";
}

function zoomFlame(n) {
	const had = flame.box.contains(document.activeElement);

	flame.focus = n;
	drawFlame();
	if (had)
		flame.frames.get(n).frame.focus();
}

// Frames whose name or module is what is searched, and which part of what is in view they have
function searchFlame() {
	const wanted = expressionOf(byId("search"));
	const found = (n) => wanted && n && (wanted.test(flameName(n)) || wanted.test(flameModule(n)));
	const sum = (n) => (found(n) ? flameEvents(n) : flame.children[n].reduce((part, c) => part + sum(c), 0));

	for (const [n, { frame }] of flame.frames)
		frame.classList.toggle("match", Boolean(found(n)));
	byId("matched").textContent = wanted ? `Matched ${formatPercent(sum(flame.focus) / (flameEvents(flame.focus) || 1))}` : "";
}

// The frame that an arrow key leads to, of those that are drawn
function nextFrame(n, key) {
	const drawn = (list) => list.filter((c) => flame.frames.has(c)).sort((a, b) => flame.frames.get(a).left - flame.frames.get(b).left);

	if (key === "ArrowUp")
		return n ? parentOf(n) : n;
	if (key === "ArrowDown")
		return drawn(flame.children[n])[0] ?? n;
	const row = n ? drawn(flame.children[parentOf(n)]) : [n];

	return row[row.indexOf(n) + (key === "ArrowLeft" ? -1 : 1)] ?? n;
}

flame.box.addEventListener("keydown", (event) => {
	const at = [...flame.frames].find(([, { frame }]) => frame === document.activeElement);

	if (event.key === "Escape")
		zoomFlame(0);
	if (!at || !event.key.startsWith("Arrow"))
		return;
	event.preventDefault();
	const to = flame.frames.get(nextFrame(at[0], event.key)).frame;

	at[1].frame.tabIndex = -1;
	to.tabIndex = 0;
	to.focus();
});

byId("search").addEventListener("input", searchFlame);
byId("unzoom").addEventListener("click", () => zoomFlame(0));
makeChoice(byId("weights"), "weight", data.events.map((event) => event.name), (e) => {
	flame.event = e;
	flame.focus = 0;
	drawFlame();
});
new ResizeObserver(drawFlame).observe(flame.box.parentElement);
