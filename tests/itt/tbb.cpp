// SPDX-License-Identifier: MIT
/*
 * usage: tbb [TIMES]
 *
 * What TBB tells of by itself: a parallel loop, a group of tasks, a flow graph. Its threads end before
 * the program does, so that none of them is in a call then.
 */
#include <atomic>
#include <cstdlib>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

static bool work()
{
	std::atomic<int> n{ 0 };
	tbb::task_group group;
	tbb::flow::graph graph;
	tbb::flow::function_node<int, int> node(graph, 1, [&](int i) {
		n++;
		return i;
	});

	tbb::parallel_for(0, 1000, [&](int) { n++; });
	for (int i = 0; i < 10; i++)
		group.run([&] { n++; });
	group.wait();
	for (int i = 0; i < 20; i++)
		node.try_put(i);
	graph.wait_for_all();
	return n == 1030;
}

int main(int argc, char **argv)
{
	tbb::task_scheduler_handle handle{ tbb::attach{} };
	bool good = true;

	{
		tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);

		for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0 && good; i--)
			good = work();
	}
	tbb::finalize(handle);
	return good ? 0 : 1;
}
