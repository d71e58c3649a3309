// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "options.h"

/*
 * Calibration options: -cal, -calibration, --cal, --calibration
 *
 * Bare, with =VALUE, or followed by a word that is exactly a value. Any other next word is not
 * theirs: it is the command. With one dash the words are those of the classic option, yes and no.
 */
static const struct {
	const char *word;
	enum vsamp_cal_mode mode;
	bool classic;
	bool adaptive;
} cal_words[] = {
	{ "yes", VSAMP_CAL_ALL, true, false },	  { "no", VSAMP_CAL_NONE, true, false },
	{ "all", VSAMP_CAL_ALL, false, false },	  { "event", VSAMP_CAL_EVENT, false, false },
	{ "none", VSAMP_CAL_NONE, false, false }, { "adaptive", VSAMP_CAL_ALL, false, true },
};

static bool cal_word(struct options *o, const char *word, bool classic)
{
	for (size_t i = 0; word && i < sizeof(cal_words) / sizeof(cal_words[0]); i++)
		if (!strcmp(word, cal_words[i].word) && (cal_words[i].classic || !classic)) {
			o->cal_mode = cal_words[i].mode;
			o->adaptive = cal_words[i].adaptive;
			return true;
		}
	return false;
}

int options_take_calibration(struct options *o, const char *arg, const char *next, bool *taken,
			     struct vsamp_error *err)
{
	bool classic = strncmp(arg, "--", 2);
	const char *name = arg + (classic ? 1 : 2);
	size_t length = strcspn(name, "=");

	if ((length != 3 || strncmp(name, "cal", 3)) &&
	    (length != 11 || strncmp(name, "calibration", 11)))
		return 0;
	if (name[length]) {
		if (!cal_word(o, name + length + 1, false))
			return vsamp_fail(err, -EINVAL,
					  "%s: it is yes, no, all, event, adaptive or none", arg);
	} else if (cal_word(o, next, classic)) {
		*taken = true;
	} else {
		cal_word(o, "all", false);
	}
	return 1;
}
