// SPDX-License-Identifier: MIT
// table.js: hot spots, and tasks, as tables that are sorted by a click
const ROWS_FIRST = 50; // shown until all are asked for

// Writes a table: columns are { name, value(row), cell(row), number }, @sort is { column, down }
function fillTable(table, columns, rows, sort, resort) {
	const head = make("tr", {}, ...columns.map((column, c) => {
		const button = make("button", {}, column.name);

		button.addEventListener("click", () => resort(c === sort.column ? { column: c, down: !sort.down } : { column: c, down: Boolean(column.number) }));
		return make("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": c !== sort.column ? null : sort.down ? "descending" : "ascending" }, button);
	}));

	table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...columns.map((column) => column.cell(row))))));
}

function sortRows(rows, { value }, down) {
	const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

	const last = (row) => Boolean(row.others);

	return rows.map((row) => [value(row), row])
		.sort((a, b) => last(a[1]) - last(b[1]) || (down ? -1 : 1) * order(a[0], b[0])).map(([, row]) => row);
}

const numberCell = (content) => make("td", { class: "number" }, content);

const hot = {
	table: byId("table"),
	group: 0,
	rows: [], // of the group
	sort: null,
	all: false,
};

const GROUPS = [ // as the data have them
	{ label: "Functions", names: ["symbol", "module"] },
	{ label: "Functions by process", names: ["symbol", "module", "process"] },
	{ label: "Modules", names: ["module"] },
	{ label: "Processes", names: ["process"] },
];
const NAMES = { symbol: "Function", module: "Module", process: "Process" };

// Rows of a group: what isn't in the page is the last of them
function makeRows(group, names) {
	const rows = group.counts[0].samples.map((_, i) => ({
		...Object.fromEntries(names.map((name) => [name, text(group[name][i])])),
		samples: group.counts.map((c) => c.samples[i]),
		events: group.counts.map((c) => c.events[i]),
	}));

	if (group.others)
		rows.push({
			...Object.fromEntries(names.map((name, i) => [name, i ? "" : `[${formatNumber(group.others)} others]`])),
			others: true,
			samples: group.counts.map((c) => c.other_samples),
			events: group.counts.map((c) => c.other_events),
		});
	return rows;
}

function shareCell(row, e) {
	const part = row.events[e] / (data.events[e].estimated || 1);

	return make("td", { class: "number share", title: `${formatNumber(row.events[e])} events`, "--event-color": eventColor(e), "--part": `${Math.min(100, 100 * part)}%` }, formatPercent(part), make("i"));
}

function nameCell(row, name) {
	return name === "module" ?
		make("td", { class: "quiet", title: row.module }, baseName(row.module)) :
		make("td", { class: name === "symbol" ? "name" : "quiet" }, row[name]);
}

function ratioColumn({ name, above, below }) {
	const value = (row) => row.events[above] / row.events[below];

	return { name, number: true, value: (row) => value(row) || 0, cell: (row) => numberCell(formatRatio(value(row))) };
}

function hotColumns() {
	const names = GROUPS[hot.group].names.map((name) => ({ name: NAMES[name], value: (row) => row[name], cell: (row) => nameCell(row, name) }));
	const events = data.events.flatMap((event, e) => [
		{ name: event.name, number: true, value: (row) => row.events[e], cell: (row) => shareCell(row, e) },
		{ name: "Samples", number: true, value: (row) => row.samples[e], cell: (row) => numberCell(formatNumber(row.samples[e])) },
	]);

	return [...names, ...events, ...data.ratios.map(ratioColumn)];
}

function drawHot() {
	const columns = hotColumns(), names = GROUPS[hot.group].names, wanted = expressionOf(byId("filter"));
	const rows = hot.rows.filter((row) => !wanted || names.some((name) => wanted.test(row[name])));
	const sorted = sortRows(rows, columns[hot.sort.column], hot.sort.down);
	const part = rows.reduce((sum, row) => sum + row.events[0], 0) / (data.events[0].estimated || 1);

	fillTable(hot.table, columns, hot.all ? sorted : sorted.slice(0, ROWS_FIRST), hot.sort, (sort) => {
		hot.sort = sort;
		drawHot();
	});
	byId("more").hidden = hot.all || sorted.length <= ROWS_FIRST;
	byId("more").textContent = `Show all ${formatNumber(sorted.length)} rows`;
	byId("shown").textContent = `${formatNumber(sorted.length)} rows, ${formatPercent(part)} of ${data.events[0].name}`;
}

function addNotes() {
	for (const [module, why] of data.nameless)
		byId("nameless").append(make("li", {}, `${module}: ${why}`));
	if (data.nameless_more)
		byId("nameless").append(make("li", {}, `and ${data.nameless_more} modules more that lack symbols`));
}

// Tasks and events of one name together
function groupTasks() {
	const groups = new Map();

	for (const span of spans) {
		const key = JSON.stringify([span.kind, span.domain, span.name]);
		const row = groups.get(key) || { name: span.name, domain: span.domain, kind: KINDS[span.kind].label, count: 0, total: 0, own: 0, longest: 0 };

		groups.set(key, row);
		row.count++;
		row.total += span.tick ? 0 : span.inclusive;
		row.own += span.tick ? 0 : span.own;
		row.longest = Math.max(row.longest, span.tick ? 0 : span.inclusive);
	}
	return [...groups.values()];
}

function addTasks() {
	const rows = groupTasks(), column = (name, key, cell, number) => ({ name, number, value: (row) => row[key], cell: (row) => cell(row[key]) });
	const quiet = (content) => make("td", { class: "quiet" }, content), time = (ns) => numberCell(ns ? formatTime(ns) : "");
	const columns = [
		column("Name", "name", (content) => make("td", { class: "name" }, content)), column("Domain", "domain", quiet), column("Kind", "kind", quiet),
		column("Count", "count", (n) => numberCell(formatNumber(n)), true), column("Total", "total", time, true),
		column("Of its own", "own", time, true), column("Longest", "longest", time, true),
	];
	const draw = (sort) => fillTable(byId("task-table"), columns, sortRows(rows, columns[sort.column], sort.down), sort, draw);

	byId("tasks").hidden = !rows.length;
	draw({ column: 4, down: true });
}

byId("filter").addEventListener("input", drawHot);
byId("more").addEventListener("click", () => {
	hot.all = true;
	drawHot();
});
makeChoice(byId("groups"), "group", GROUPS.map(({ label }) => label), (group) => {
	hot.group = group;
	hot.rows = makeRows(data.rows[group], GROUPS[group].names);
	hot.sort = { column: GROUPS[group].names.length, down: true };
	hot.all = false;
	drawHot();
});
addNotes();
addTasks();
