/* SPDX-License-Identifier: MIT */
/* The subcommands of vsamp, and how they end */
#ifndef CMD_H
#define CMD_H

/* Exit codes beside 0 */
#define EXIT_ERROR	1
#define EXIT_USAGE	2

/* The folder of services, where none is named: not below that of recordings, which is root's alone */
#define ITT_DIR_DEFAULT "/var/lib/vsamp-itt"

/* What record writes, and the others read, where no file is named */
#define FILE_DEFAULT	"vsamp.data"

/* argv[0] is the subcommand's name. Each returns the exit code, and prints its help for -h. */
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_itt(int argc, char **argv);
int cmd_gpu(int argc, char **argv);
int cmd_gen(int argc, char **argv);

#endif
