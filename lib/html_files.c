// SPDX-License-Identifier: MIT
/* html_files.c: the files of lib/html/, by their paths in the tree, where the compiler is started */
#include "html.h"

#define PART(name) ".incbin \"lib/html/" name "\"\n"
#define TEXT(symbol, parts)                                                                      \
	__asm__(".pushsection .rodata\n.global " #symbol "\n.hidden " #symbol "\n.type " #symbol \
		", %object\n" #symbol ":\n" parts ".byte 0\n.popsection\n")

TEXT(html_page, PART("page.html"));
TEXT(html_style, PART("page.css"));
TEXT(html_script,
     PART("page.js") PART("timeline.js") PART("lanes.js") PART("flame.js") PART("table.js"));
