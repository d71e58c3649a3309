# SPDX-License-Identifier: MIT
#
# usage: awk -f tables.awk FILE.oa... >oa_tables.c
#
# Makes C of what is known of GPUs: their metrics, the sets of these, and the registers to which a set
# is written. A family's file comes before those of its platforms. In a file, after a #, is comment;
# a line is one of
#
#   family NAME
#   metric [SET.]NAME [if CONDITION] | UNIT | EQUATION | LARGEST | WHAT
#                           LARGEST may be empty; of a name that has both, a set takes its own SET.NAME
#   set NAME | WHAT         lines that begin with a tab: its metrics, in this order; a platform's own
#                           goes before its family's
#   platform NAME FAMILY VERSION | TITLE
#                           FAMILY may be -: no metrics are known; VERSION: 1270 is 12.70
#   ids PCI-ID...           of the platform
#   config SET UUID         the platform has the set; the lines after it:
#   mux|boolean|flex ADDRESS=VALUE[,VALUE]...
#                           hexadecimal; more values go to the same address, in this order
#
# A metric of a platform's file goes before its family's. Equations have + - * & and parentheses as in
# C, a // b: quotient rounded down, a / b: a real number; both are 0 where b is. max(a, b).
# Their numbers: A0...C7, time, clock: differences between reports; names in variable[] below: of the
# GPU; metrics that stand before this one in the set.

function fail(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}

function trim(s) {
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

# One operation of a program, and what it does to the height of the stack
function emit(kind, value, height) {
	program = program sprintf("\t{ %s, %s },\n", kind, value)
	depth += height
	if (depth > 8 || depth < 1)
		fail("equation too deep: " equation)
}

function operator_emit(o) {
	if (!(o in operator))
		fail("no operator: " o " in " equation)
	emit(operator[o], 0, -1)
}

function operand_emit(t) {
	if (t ~ /^[0-9]/)
		emit("OA_NUMBER", t, 1)
	else if (t == "time" || t == "clock")
		emit("OA_DELTA", "VSAMP_OA_" toupper(t), 1)
	else if (t ~ /^(A([0-9]|[12][0-9]|3[0-7])|[BC][0-7])$/)
		emit("OA_DELTA", "VSAMP_OA_" substr(t, 1, 1) " + " substr(t, 2), 1)
	else if (t in variable)
		emit("OA_DEVICE", variable[t], 1)
	else if (t in place)
		emit("OA_METRIC", place[t], 1)
	else
		fail("unknown: " t " in " equation)
}

# The equation's reverse Polish program; the name of its array
function compile(text,   t, o, ops, top, wants, name) {
	equation = text
	program = ""
	depth = top = 0
	wants = 1
	while ((text = trim(text)) != "") {
		if (!match(text, /^(0x[0-9a-f]+|[A-Za-z0-9_]+|\/\/|[-+*\/&(),])/))
			fail("not understood: " text)
		t = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		if (t == "max" || t == "(") {
			ops[++top] = t
		} else if (t == ")" || t == ",") {
			while (top && ops[top] != "(")
				operator_emit(ops[top--])
			if (!top)
				fail("parentheses: " equation)
			if (t == ")" && --top && ops[top] == "max")
				operator_emit(ops[top--])
			wants = t == ","
		} else if (t in operator) {
			while (top && ops[top] in rank && rank[ops[top]] >= rank[t])
				operator_emit(ops[top--])
			ops[++top] = t
			wants = 1
		} else {
			if (!wants)
				fail("operator expected before " t " in " equation)
			operand_emit(t)
			wants = 0
		}
	}
	while (top)
		operator_emit(ops[top--])
	if (depth != 1 || wants)
		fail("incomplete: " equation)
	return array("struct vsamp_oa_op", "program", program "\t{ OA_END, 0 },\n")
}

# Prints an array once; its name
function array(type, name, text) {
	if (!(text in arrays)) {
		arrays[text] = name "_" ++arrays_n
		printf "static const %s %s[] = {\n%s};\n\n", type, arrays[text], text
	}
	return arrays[text]
}

function metric_find(set, name,   scope, i) {
	for (i = 1; i <= 2; i++) {
		scope = i == 1 ? "platform " platform : "family " family_of[platform]
		if ((scope, set "." name) in metric)
			return metric[scope, set "." name]
		if ((scope, name) in metric)
			return metric[scope, name]
	}
	fail("set " set " has an unknown metric " name)
}

# The array of a set's metrics, as the platform has them
function metrics_make(set,   names, n, i, f, text, where, condition) {
	split("", place)
	where = "platform " platform
	if (!((where, set) in members))
		where = "family " family_of[platform]
	n = split(members[where, set], names, " ")
	for (i = 1; i <= n; i++) {
		split(metric_find(set, names[i]), f, "|")
		where = f[1] ~ / if / ? f[1] : ""
		condition = where
		sub(/^.* if /, "", condition)
		text = text sprintf("\t{ \"%s\", \"%s\", \"%s\", %s, %s, %s },\n", names[i], trim(f[2]), trim(f[5]),
				    compile(f[3]), trim(f[4]) == "" ? "NULL" : compile(f[4]),
				    where == "" ? "NULL" : compile(condition))
		place[names[i]] = i - 1
	}
	metrics_n = n
	return array("struct vsamp_oa_metric", "metrics", text)
}

function family_name() {
	return platform == "" ? family : family_of[platform]
}

function config_end(   text, list, i, kinds) {
	if (config == "")
		return
	text = sprintf("\t{ \"%s\", \"%s\", \"%s\", %s, %d,\n", config, set_what[family_of[platform], config], uuid,
		       metrics_make(config), metrics_n)
	split("mux boolean flex", kinds, " ")
	for (i = 1; i <= 3; i++) {
		list = registers[kinds[i]] == "" ? "NULL" : array("struct vsamp_oa_reg", "registers", registers[kinds[i]])
		text = text sprintf("\t  { %s, %d },\n", list, registers_n[kinds[i]])
		registers[kinds[i]] = ""
		registers_n[kinds[i]] = 0
	}
	sets = sets text "\t},\n"
	sets_n++
	config = ""
}

function platform_end(   ids_array) {
	config_end()
	if (platform == "")
		return
	ids_array = array("uint16_t", "ids", ids)
	platforms = platforms sprintf("\t{ \"%s\", \"%s\", %d, %s, %d, %s, %d },\n", platform, title, version, ids_array,
				      ids_n, sets_n ? array("struct vsamp_oa_set", "sets", sets) : "NULL", sets_n)
	platform = sets = ids = ""
	sets_n = ids_n = 0
}

BEGIN {
	operator["+"] = "OA_ADD"; rank["+"] = 2
	operator["-"] = "OA_SUBTRACT"; rank["-"] = 2
	operator["*"] = "OA_MULTIPLY"; rank["*"] = 3
	operator["//"] = "OA_QUOTIENT"; rank["//"] = 3
	operator["/"] = "OA_DIVIDE"; rank["/"] = 3
	operator["&"] = "OA_AND"; rank["&"] = 1
	operator["max"] = "OA_MAX"
	n = split("timestamp_hz gpu_max_hz eus eu_threads slices subslices slice_mask subslice_mask", names, " ")
	for (i = 1; i <= n; i++)
		variable[names[i]] = "offsetof(struct vsamp_oa_device, " names[i] ")"
	print "/* made of lib/oa/ by tables.awk */\n#include \"oa_private.h\"\n"
}

{ sub(/[ \t]*#.*/, "") }
/^[ \t]*$/ { next }
/^\t/ { members[scope, set] = members[scope, set] " " $0; next }
{ split($0, column, "|"); set = "" }
$1 == "family" { platform_end(); family = $2; scope = "family " family; next }
$1 == "metric" && split($0, column, "|") == 5 {
	if ((scope, $2) in metric)
		fail("a second metric " $2)
	metric[scope, $2] = substr($0, 8)
	next
}
$1 == "set" { set = $2; set_what[family_name(), set] = trim(column[2]); next }
$1 == "platform" && NF >= 5 {
	platform_end()
	platform = $2
	family_of[platform] = $3
	version = $4
	title = trim(column[2])
	scope = "platform " platform
	next
}
$1 == "ids" {
	for (i = 2; i <= NF; i++) {
		if ($i in id_known)
			fail("a second " $i)
		id_known[$i]
		ids = ids "\t0x" $i ",\n"
		ids_n++
	}
	next
}
$1 == "config" && (family_of[platform], $2) in set_what { config_end(); config = $2; uuid = $3; next }
$1 ~ /^(mux|boolean|flex)$/ && config != "" {
	for (i = 2; i <= NF; i++) {
		if ($i !~ /^[0-9a-f]+=[0-9a-f,]+$/)
			fail("no register: " $i)
		split($i, column, "=")
		n = split(column[2], names, ",")
		for (j = 1; j <= n; j++)
			registers[$1] = registers[$1] "\t{ 0x" column[1] ", 0x" names[j] " },\n"
		registers_n[$1] += n
	}
	next
}
{ fail("not understood: " $0) }

END {
	if (failed)
		exit 1
	platform_end()
	printf "const struct vsamp_oa_platform oa_platforms[] = {\n%s};\n\n", platforms
	print "const size_t oa_platforms_n = sizeof(oa_platforms) / sizeof(oa_platforms[0]);"
}
