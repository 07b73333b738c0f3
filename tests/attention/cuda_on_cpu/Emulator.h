// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs CUDA kernels on the CPU, so that they are tested where there is no device: what a kernel
// computes, that every lane comes to every barrier, and that the order in which lanes run changes
// nothing. Nothing about speed, and no memory model but that of one thread: a shuffle, which on a
// GPU orders no memory, is as good as a barrier here.

#include <cstdint>
#include <functional>

namespace cuda_on_cpu {

constexpr int kLanes = 32;

enum class LaneOrder { Forward, Backward };
/// In which lanes run between barriers. A kernel that lacks a barrier depends on it.
void setLaneOrder(LaneOrder order);

/// Blocks one after another, the threads of a block in turns from barrier to barrier. Throws
/// std::logic_error where some threads wait for others that have ended or wait for something else.
void run(const std::function<void()>& thread, unsigned blocks, unsigned threads);
/// How many blocks have been run.
std::int64_t blocksRun();

// For the thread that runs.
void waitForWarp();
void waitForBlock();
/// A barrier of the warp, and the 8 bytes that lane (own ^ mask) of the warp brings.
std::uint64_t exchange(std::uint64_t mine, int mask);

}  // namespace cuda_on_cpu
