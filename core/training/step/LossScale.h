// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Losses scaled so that their gradients fit into float16, which has no numbers below 6e-8
// (Micikevicius et al. 2018, §3.2), by a factor that finds itself, as torch.cuda.amp.GradScaler's.

#include <cstdint>

namespace headlight {

/// What a run goes on from.
struct LossScaleState {
  double scale = 65536;        ///< a power of two: nothing is rounded by it
  std::int64_t goodSteps = 0;  ///< since it last changed
  std::int64_t skipped = 0;    ///< steps of the run that were not taken
};

class LossScale {
 public:
  /// Halved where gradients are not finite, doubled after so many steps in a row where they are.
  static constexpr std::int64_t kGrowsAfter = 2000;
  static constexpr double kLeast = 1, kGreatest = 16777216;

  /// Off: the factor is 1 and every step is taken.
  explicit LossScale(bool on) : m_on(on) {}

  bool on() const { return m_on; }
  /// What the loss is multiplied by before the backward pass, and its gradients are divided by.
  double factor() const { return m_on ? m_state.scale : 1; }

  /// After a backward pass with that factor: whether its step may be taken. Gradients that are not
  /// finite say no, and the factor is halved; at the least factor they are no matter of scaling,
  /// and it is for the caller to refuse them.
  bool takesStep(bool finite);

  const LossScaleState& state() const { return m_state; }
  void load(const LossScaleState& state) { m_state = state; }

 private:
  bool m_on;
  LossScaleState m_state;
};

}  // namespace headlight
