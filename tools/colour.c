// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "number.h"
#include "terminal.h"

static const char *const choices[] = { "auto", "always", "never" };

static const char *choice = "auto";
static bool on;

bool colour_choose(const char *when)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (!strcmp(when, choices[i])) {
			choice = choices[i];
			return true;
		}
	}
	return false;
}

static bool wanted(void)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no) && terminal_draws(STDOUT_FILENO);
}

void colour_begin(void)
{
	on = strcmp(choice, "auto") ? !strcmp(choice, "always") : wanted();
}

const char *colour_heading(void)
{
	return on ? "\033[1m" : "";
}

/* The limits that perf has */
const char *colour_percent(double percent)
{
	if (!on)
		return "";
	return percent >= 5 ? "\033[31m" : percent >= 0.5 ? "\033[32m" : "\033[39m";
}

const char *colour_end(void)
{
	return on ? "\033[0m" : "";
}

void colour_print_percent(int width, double percent)
{
	char text[NUMBER_MAX + 1];
	int length = on ? 0 : number_fixed(text, percent, 2);

	if (!length) {
		printf("%s%*.2f%%%s", colour_percent(percent), width - 1, percent, colour_end());
		return;
	}
	text[length++] = '%';
	number_print(stdout, text, length, width);
}
