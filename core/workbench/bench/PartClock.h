// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which part of a model takes how long, forward and backward. At every change of parts the clock
// reads the time and adds what passed to the part that ended, so that the parts of a pass add up to
// the pass. Scopes (ModelPart.h) tell it of parts, LibTorch (RecordFunction) of norms and
// convolutions within them, and of what linear layers do in the attention. A step of the backward
// pass belongs to the part in which the forward pass made it, known by autograd's sequence number.

#include <ATen/core/ivalue.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/workbench/bench/PartTimes.h"

namespace headlight {

class PartClock : public PartListener, public c10::DebugInfoBase {
 public:
  /// `now`: seconds of any beginning, once a device has done what it was given.
  explicit PartClock(std::function<double()> now) : m_now(std::move(now)) {}
  /// Of these linear layers, operations on weights and biases are told apart within the attention.
  void setLinearLayers(const torch::nn::Module& module);

  /// Begins anew: what follows is `training`'s forward pass, or inference.
  void start(bool training);
  void stop();
  const PartTimes& times() const { return m_times; }

  void enter(ModelPart part, bool whole) override;
  void enterBackward() override;
  void leave() override;
  /// An operation of the forward pass, by LibTorch's name; true: it was entered, and leave()
  /// follows.
  bool enterOperation(std::string_view name, c10::ArrayRef<const c10::IValue> inputs);
  /// A step of the backward pass; −1: it stores the gradient that the step before it gave.
  bool enterStep(std::int64_t sequenceNumber);

 private:
  struct PartFrame {
    ModelPart part;
    bool whole;
    bool backward;
  };
  /// From this sequence number on, steps are made in `part`.
  struct PartChange {
    std::uint64_t sequenceNumber;
    ModelPart part;
  };

  bool anyOfLinearLayers(c10::ArrayRef<const c10::IValue> inputs) const;
  void push(const PartFrame& frame);
  void charge();
  void mark();
  ModelPart partOf(std::int64_t sequenceNumber) const;

  std::function<double()> m_now;
  std::unordered_set<const void*> m_linear;  ///< where weights and biases are stored
  bool m_training = false;
  double m_last = 0;
  std::vector<PartFrame> m_frames;  ///< empty: stopped
  std::vector<PartChange> m_changes;
  ModelPart m_lastStep = ModelPart::Other;
  PartTimes m_times;
};

/// While one lives, this thread and its backward passes tell the clock.
class PartClockScope {
 public:
  explicit PartClockScope(const std::shared_ptr<PartClock>& clock);
  ~PartClockScope();
  PartClockScope(const PartClockScope&) = delete;
  PartClockScope& operator=(const PartClockScope&) = delete;

 private:
  PartListener* m_before;
  c10::DebugInfoGuard m_guard;
  std::uint64_t m_callbacks;
};

}  // namespace headlight
