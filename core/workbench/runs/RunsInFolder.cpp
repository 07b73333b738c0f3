// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunsInFolder.h"

#include "core/workbench/runs/RunFinder.h"

namespace headlight {

std::size_t countRunsIn(const std::filesystem::path& folder, const std::stop_token& stop) {
  RunFinder finder(folder);
  finder.poll(stop);
  return stop.stop_requested() ? 0 : finder.runs().size();
}

}  // namespace headlight
