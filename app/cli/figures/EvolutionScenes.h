// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `evolution` draws of a recording: the heads, points and image that the flags choose, read
// and put together for EvolutionImages.h.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/figures/EvolutionImages.h"

namespace headlight::cli {

struct EvolutionChoice {
  std::string show = "attention";   ///< or "rollout", or the name of something learned
  std::string query;                ///< the token that looks; empty: class, or mean
  std::vector<std::int64_t> steps;  ///< of each the point at it or before it
  int most = 0;                     ///< without steps: so many points; 0: as many as drawn wants
  int image = 0;                    ///< of those that were recorded
  std::optional<int> layer, head;
};

/// Reads it, of `most` points where the choice does not say. Throws Failure: a wrong command line,
/// Canceled, what cannot be read.
EvolutionScene chosenScene(RecordedEvolution& evolution, const EvolutionChoice& choice,
                           std::size_t most, const std::stop_token& stop);

/// Throws Failure (Canceled) where it was asked to stop.
void requireGoingOn(const std::stop_token& stop);

}  // namespace headlight::cli
