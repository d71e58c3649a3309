// SPDX-License-Identifier: MIT
/* OpenCV's loops are TBB's, which tells of them */
#include <atomic>
#include <opencv2/core.hpp>

int main()
{
	cv::Mat a = cv::Mat::eye(64, 64, CV_32F) * 2, b(64, 64, CV_32F), c;
	std::atomic<int> n{ 0 };

	cv::setNumThreads(3);
	cv::randu(b, 0, 100);
	cv::parallel_for_(cv::Range(0, 100), [&](const cv::Range &range) { n += range.size(); });
	cv::gemm(a, b, 1, cv::noArray(), 0, c);
	return n != 100 || c.at<float>(3, 4) != 2 * b.at<float>(3, 4);
}
