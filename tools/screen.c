// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "screen.h"
#include "terminal.h"

#define LINES_USUAL 24

/* Another screen, without a cursor and without wrapping; and back */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[H\033[2J";
static const char leave[] = "\033[?7h\033[?25h\033[?1049l";

/* Ends that nobody chooses: the terminal is given back first */
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

static struct {
	struct termios before;
	bool on;
	int signals; /* of its size, and of stopping */
	int epoll;   /* these, and keys */
} screen;

static void put(const char *text, size_t size)
{
	if (write(STDOUT_FILENO, text, size) < 0)
		screen.on = false; /* it is gone */
}

/* All of this may be called in a signal handler */
static void screen_leave(void)
{
	if (!screen.on)
		return;
	screen.on = false;
	put(leave, sizeof(leave) - 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.before);
}

static void screen_enter(void)
{
	struct termios raw = screen.before;

	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	screen.on = true;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	put(enter, sizeof(enter) - 1);
}

static void crash(int signal_number)
{
	screen_leave();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

bool screen_there(void)
{
	return isatty(STDIN_FILENO) && terminal_draws(STDOUT_FILENO);
}

static int watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(screen.epoll, EPOLL_CTL_ADD, fd, &event);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	screen.epoll = epoll_create1(EPOLL_CLOEXEC);
	return screen.signals < 0 || screen.epoll < 0 || watch(screen.signals) ||
			       watch(STDIN_FILENO) ?
		       -errno :
		       0;
}

int screen_open(struct vsamp_error *err)
{
	int ret = tcgetattr(STDIN_FILENO, &screen.before) ? -errno : open_signals();

	if (ret)
		return vsamp_fail(err, ret, "the terminal can't be used: %s: try --batch",
				  strerror(-ret));
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], crash);
	atexit(screen_leave);
	fflush(stdout);
	screen_enter();
	return 0;
}

void screen_close(void)
{
	screen_leave();
}

int screen_fd(void)
{
	return screen.epoll;
}

/* As a shell wants it: the terminal is given back, and taken again when we go on */
static void stop(void)
{
	screen_leave();
	raise(SIGSTOP);
	screen_enter();
}

int screen_key(void)
{
	struct signalfd_siginfo info;
	unsigned char key;
	ssize_t n;

	if (read(screen.signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			stop();
		return SCREEN_CHANGED;
	}
	n = read(STDIN_FILENO, &key, 1);
	return n == 1 ? key : 0;
}

unsigned int screen_lines(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row ? LINES_USUAL : size.ws_row;
}

void screen_begin(void)
{
	fputs("\033[H", stdout);
}

void screen_line_end(void)
{
	fputs("\033[K\r\n", stdout);
}

void screen_end(void)
{
	fputs("\033[J", stdout);
	fflush(stdout);
}
