/* SPDX-License-Identifier: MIT */
/* The processes that a launched command started, wherever they went */
#ifndef TREE_H
#define TREE_H

/*
 * Makes this process the one that orphans of its descendants go to, so that none of them leaves
 * the tree by a parent's end. Whatever it forked before and does not want to be ended must not be
 * its child.
 */
void tree_adopt(void);

/*
 * Ends all descendants: SIGTERM, and after a grace time SIGKILL. Reaps them. Returns how many are
 * left, as they run as somebody else, whom this process must not signal.
 */
unsigned int tree_end(void);

#endif
