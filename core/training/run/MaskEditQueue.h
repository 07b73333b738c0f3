// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every mask edit of a run: those the config scheduled, those submitted while it goes, and which of
// them are in force. Safe to use from several threads.

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "core/config/Experiment.h"

namespace headlight {

/// The error says why a run takes no mask edits while it goes: it trains a masked autoencoder.
Result<void> canEditMasks(const Experiment& experiment);

class MaskEditQueue {
 public:
  /// Submitted edits that wait; one more is refused.
  static constexpr std::size_t kMaxWaiting = 256;

  /// `initial`: the scheme before any edit of `experiment`.
  MaskEditQueue(Experiment experiment, MaskScheme initial);

  /// False when too many wait or more than a config can hold, the run is over, a cell does not
  /// exist, a mask cannot be written into a config or canEditMasks() says no.
  bool submit(const MaskEdit& edit);
  /// From now on nothing is accepted: it would never take effect.
  void close();

  /// The next edit to apply before `step`: scheduled ones that are due, then submitted ones. It is
  /// in force once `commit` is called.
  struct Pending {
    ScheduledEdit edit;
    bool submitted = false;
  };
  std::optional<Pending> next(std::int64_t step);
  void commit(const Pending& pending);

  MaskScheme masks() const;     ///< in force
  Experiment exported() const;  ///< with every edit, in the order they were or will be applied
  std::size_t applied() const;  ///< how many of exported().edits are in force

 private:
  mutable std::mutex m_mutex;
  Experiment m_experiment;  ///< .edits: the first m_applied are in force
  std::size_t m_applied = 0;
  MaskScheme m_scheme;
  std::deque<MaskEdit> m_waiting;
  bool m_closed = false;
};

}  // namespace headlight
