// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The processes that compute one run together, on PyTorch's own engine (c10d over Gloo, or NCCL
// from GPU to GPU). All of them call the same functions in the same order; a call that one of them
// never comes to fails in the others after the time-out, and says which one it was.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/processes/Launch.h"

namespace headlight {

/// What adds up tensors: "Gloo", or for those that lie on GPUs "NCCL 2.21.5" where LibTorch has it
/// and its headers were there. The same in all processes of a run.
std::string sumsBy(const at::Device& device);

/// A sum that is on its way.
class PendingSum {
 public:
  virtual ~PendingSum() = default;
  /// Until the tensor has the sum. Throws Failure as Processes does.
  virtual void wait() = 0;
};

class Processes {
 public:
  /// Meets the others. Until endStart() a request to stop ends every wait for them. Throws Failure:
  /// InvalidConfig (not built in), Io (the port is in use, nobody came within the time-out),
  /// Canceled (this process, or another one, was told to stop).
  Processes(const Launch& launch, std::chrono::seconds timeout, std::stop_token stop = {});
  /// Takes leave; process 0 then waits a little for the others to do so, since they meet at it.
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const;
  int count() const;
  bool isFirst() const { return rank() == 0; }

  // All of these throw Failure (Io) that names the process that failed, died or did not come.

  /// The sum over all processes in place, the same bits in each. float, double, int32 or int64;
  /// contiguous.
  void sum(at::Tensor& tensor);
  /// As sum(), while this process goes on; the tensor is not to be touched before wait(). Sums
  /// begin in the same order everywhere.
  std::unique_ptr<PendingSum> beginSum(at::Tensor& tensor);
  /// The tensor of process 0, in place.
  void broadcast(at::Tensor& tensor);
  /// Whether it holds for any process.
  bool any(bool here);
  /// The text of process 0; the others' is ignored.
  std::string broadcast(const std::string& text);
  /// In process 0 everybody's text, by rank; elsewhere empty.
  std::vector<std::string> gather(const std::string& text);

  /// From now on stopping is what the processes agree on, between two steps.
  void endStart();

  /// Tells the others why this one ends, and breaks off: what they wait for fails. Nothing where it
  /// ends because of another.
  void fail(const std::string& why);
  /// Whether it is for this process to tell the person of what went wrong: the first that still
  /// can.
  bool speaks() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Whether another process speaks for this one: it came to where they meet, and one of a lower rank
/// is left.
bool othersSpeak();

/// Tells the processes that wait for this one why it ends before it met them. Whether they can hear
/// it: false where nobody is at the place where they meet.
bool leaveWord(const Launch& launch, const std::string& why, std::chrono::seconds timeout,
               std::stop_token stop = {});

/// For this thread, if several compute one run; null otherwise.
Processes* currentProcesses();

/// While it lives, forward passes of this thread are a part of what `processes` compute: batch
/// norms are over all of them. Null: alone.
class ProcessesScope {
 public:
  explicit ProcessesScope(Processes* processes);
  ProcessesScope(const ProcessesScope&) = delete;
  ProcessesScope& operator=(const ProcessesScope&) = delete;
  ~ProcessesScope();

 private:
  Processes* m_before;
};

}  // namespace headlight
