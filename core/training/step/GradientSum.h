// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gradients of all processes added up, in buckets that travel while the backward pass still goes on
// (Li et al. 2020, PyTorch Distributed). What is in a bucket depends on the parameters alone, never
// on which gradient came first: a run that was resumed adds in the same order, bit for bit. (c10d's
// own Reducer orders its buckets anew after the first step.)

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/processes/Processes.h"

namespace headlight {

class GradientSum {
 public:
  /// `processes` must outlive it. Hooks the parameters until it is destroyed.
  GradientSum(const NamedTensors& parameters, Processes& processes);
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  /// The backward pass that comes is the last one before finish(): what it leaves in a parameter is
  /// whole. Without it everything travels in finish().
  void expectLast();
  /// Every gradient is the sum over all processes from here on. A parameter without a gradient
  /// (in all processes) stays without one.
  void finish();

  /// For the newest step: how long finish() waited, and how long the sums took from the first's
  /// beginning to the last's end. What is hidden behind the backward pass is 1 − waited / took.
  double waitedSeconds() const;
  double tookSeconds() const;

 private:
  struct Bucket;
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
