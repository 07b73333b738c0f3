// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/attention/cuda_on_cpu/Emulator.h"

#include <ucontext.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/attention/cuda_on_cpu/cuda_runtime.h"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

enum class Kind { Barrier, Exchange };

struct Barrier {
  int members = 0, arrived = 0;
  std::int64_t opened = 0;    ///< how often
  Kind kind = Kind::Barrier;  ///< of those who wait
};

struct Warp {
  Barrier barrier;
  /// Two, in turns: a lane may bring its next value while others still read the last.
  std::array<std::array<std::uint64_t, kLanes>, 2> values{};
};

struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  unsigned index = 0;
  const Barrier* waitsFor = nullptr;
  std::int64_t openedThen = 0;
  int exchanges = 0;
  bool ended = false;

  bool mayRun() const { return !ended && (!waitsFor || waitsFor->opened != openedThen); }
};

struct Block {
  std::vector<Warp> warps;
  std::vector<Thread> threads;
  Barrier barrier;
};

// One kernel at a time, as on one stream.
ucontext_t s_scheduler;
Block* s_block = nullptr;
Thread* s_thread = nullptr;
const std::function<void()>* s_work = nullptr;
LaneOrder s_order = LaneOrder::Forward;
std::int64_t s_blocksRun = 0;
bool s_mixed = false;  ///< some lanes waited at a barrier while others shuffled

void beginThread() {
  (*s_work)();
  s_thread->ended = true;  // and back to the scheduler, by uc_link
}

void waitAt(Barrier& barrier, Kind kind) {
  if (barrier.arrived > 0 && barrier.kind != kind) s_mixed = true;
  barrier.kind = kind;
  if (++barrier.arrived == barrier.members) {
    barrier.arrived = 0;
    ++barrier.opened;
    return;
  }
  s_thread->waitsFor = &barrier;
  s_thread->openedThen = barrier.opened;
  swapcontext(&s_thread->context, &s_scheduler);
}

Warp& currentWarp() {
  return s_block->warps[s_thread->index / kLanes];
}

Block blockOf(unsigned threads) {
  Block block;
  block.threads.resize(threads);
  for (unsigned i = 0; i < threads; ++i) {
    block.threads[i].index = i;
    block.threads[i].stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  }
  return block;
}

/// As it is before its first instruction.
void reset(Block& block) {
  block.barrier = {static_cast<int>(block.threads.size())};
  block.warps.assign((block.threads.size() + kLanes - 1) / kLanes, {});
  for (Thread& thread : block.threads) {
    ++block.warps[thread.index / kLanes].barrier.members;
    thread.waitsFor = nullptr;
    thread.exchanges = 0;
    thread.ended = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStackBytes;
    thread.context.uc_link = &s_scheduler;
    makecontext(&thread.context, beginThread, 0);
  }
}

/// One turn of each thread that may run; whether any did.
bool takeTurns(Block& block) {
  bool any = false;
  const std::size_t count = block.threads.size();
  for (std::size_t i = 0; i < count; ++i) {
    Thread& thread = block.threads[s_order == LaneOrder::Forward ? i : count - 1 - i];
    if (!thread.mayRun()) continue;
    any = true;
    thread.waitsFor = nullptr;
    s_thread = &thread;
    threadIdx.x = thread.index;
    swapcontext(&s_scheduler, &thread.context);
  }
  return any;
}

}  // namespace

void setLaneOrder(LaneOrder order) {
  s_order = order;
}

void run(const std::function<void()>& thread, unsigned blocks, unsigned threads) {
  Block block = blockOf(threads);
  s_work = &thread;
  s_block = &block;
  for (unsigned i = 0; i < blocks; ++i) {
    reset(block);
    blockIdx.x = i;
    while (takeTurns(block)) {
    }
    ++s_blocksRun;
    if (std::exchange(s_mixed, false))
      throw std::logic_error("some threads wait at a barrier while others shuffle");
    for (const Thread& each : block.threads)
      if (!each.ended) throw std::logic_error("some threads wait for others that never come");
  }
}

std::int64_t blocksRun() {
  return s_blocksRun;
}

void waitForWarp() {
  waitAt(currentWarp().barrier, Kind::Barrier);
}

void waitForBlock() {
  waitAt(s_block->barrier, Kind::Barrier);
}

std::uint64_t exchange(std::uint64_t mine, int mask) {
  const unsigned lane = s_thread->index % kLanes;
  auto& values = currentWarp().values[s_thread->exchanges++ % 2];
  values[lane] = mine;
  waitAt(currentWarp().barrier, Kind::Exchange);
  return values[lane ^ static_cast<unsigned>(mask)];
}

}  // namespace cuda_on_cpu
