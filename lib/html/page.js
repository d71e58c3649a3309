// SPDX-License-Identifier: MIT
// page.js: the data, what is said of all of it, and what the parts of the page share
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const text = (number) => data.strings[number];

// An element; what strings hold is text, whatever is in it
function make(tag, attributes, ...children) {
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("--"))
			e.style.setProperty(name, value);
		else if (value !== false && value !== null)
			e.setAttribute(name, value === true ? "" : value);
	}
	e.append(...children);
	return e;
}

const formatNumber = (n) => Math.round(n).toLocaleString("en-US");
const formatPercent = (part) => `${(100 * part).toFixed(2)} %`;
const formatRatio = (n) => (Number.isFinite(n) ? n.toFixed(3) : "");

// ns, as a text with so many digits that two times as far apart as @step are told apart
function formatTime(ns, step = Math.abs(ns) / 1000) {
	const size = Math.max(Math.abs(ns), step);
	const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
	const digits = step > 0 ? Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9))) : 0;

	return `${(ns / unit).toFixed(unit === 1 ? 0 : digits)} ${name}`;
}

// The last part of a path; of what isn't a path, all of it
const baseName = (module) => (module.startsWith("/") ? module.slice(module.lastIndexOf("/") + 1) || module : module);

// A colour for a name, as an angle
function hueOf(name) {
	let hash = 2166136261;

	for (let i = 0; i < name.length; i++)
		hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
	return (hash >>> 8) % 24 * 15;
}

const eventColor = (e) => `var(--event-${e % 6})`;

// The expression of an input, or null if there is none; what is no expression is marked so
function expressionOf(input) {
	let found = null, invalid = false;

	try {
		found = input.value ? new RegExp(input.value, "i") : null;
	} catch {
		invalid = true;
	}
	input.setAttribute("aria-invalid", invalid);
	input.title = invalid ? "This is no regular expression" : "";
	return found;
}

// One of several: @take is called with the number of what is chosen, now and later
function makeChoice(box, name, labels, take) {
	labels.forEach((label, i) => {
		const input = make("input", { type: "radio", name, value: i, checked: i === 0 });

		input.addEventListener("change", () => take(i));
		box.append(make("label", {}, input, label));
	});
	box.hidden = labels.length < 2;
	take(0);
}

// What the pointer is over tells itself: lines of [strong, rest]
const tips = new WeakMap();

function setTip(element, lines) {
	tips.set(element, lines);
}

function showTip(event) {
	const tip = byId("tip");
	let e = event.target;

	while (e && !tips.has(e))
		e = e.parentElement;
	tip.hidden = !e;
	if (!e)
		return;
	tip.replaceChildren(...tips.get(e)(event).map(([strong, rest]) => make("div", {}, make("b", {}, strong), " ", rest)));
	tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
	tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
}

function showFacts() {
	const command = data.facts.find(([what]) => what === "Command");

	document.title = `${data.file} – vsamp`;
	byId("title").textContent = data.file;
	byId("command").textContent = command ? command[1] : "";
	if (data.started)
		byId("facts").append(make("div", {}, make("dt", {}, "Started"), make("dd", {}, new Date(data.started).toLocaleString())));
	for (const [what, value] of data.facts)
		if (what !== "Command")
			byId("facts").append(make("div", {}, make("dt", {}, what), make("dd", {}, value)));
	byId("warnings").hidden = !data.warnings.length;
	byId("warnings").querySelector("ul").append(...data.warnings.map((w) => make("li", {}, w)));
	byId("foot").textContent = `Made by ${data.generator}. Percentages are of events: a sample stands for as many as its Sample-After value.`;
}

function showEvent(event, e) {
	const sav = event.sav_end === event.sav ? formatNumber(event.sav) : `${formatNumber(event.sav)} to ${formatNumber(event.sav_end)}`;
	const card = make("div", { class: "event", "--event-color": eventColor(e) },
		make("h3", {}, event.name),
		make("div", { class: "big" }, formatNumber(event.samples), make("small", {}, " samples")),
		make("div", { class: "hint" }, `${formatNumber(event.estimated)} events, one sample in ${sav}`));

	if (event.share < 1)
		card.append(make("div", { class: "hint" }, `counted ${formatPercent(event.share)} of the time`));
	if (event.deviation !== undefined)
		card.append(make("div", { class: event.miss ? "hint bad" : "hint" },
			`${event.deviation >= 0 ? "+" : ""}${event.deviation.toFixed(2)} % from the target${event.miss ? `: ${event.miss}` : ""}`));
	if (event.lost)
		card.append(make("div", { class: "hint bad" }, `${formatNumber(event.lost)} samples lost`));
	byId("events").append(card);
}

showFacts();
data.events.forEach(showEvent);
document.addEventListener("pointermove", showTip);
document.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
