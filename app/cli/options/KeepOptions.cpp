// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/KeepOptions.h"

#include "app/cli/terminal/Command.h"

namespace headlight::cli {

void KeepOptions::declare(CLI::App& command) {
  command.add_flag("--keep", keep,
                   "Keep the result beside model, masks, pictures and date, where the window finds "
                   "it; what is kept already is told at once");
  command.add_flag("--anew", anew, "Of --keep: measure in any case");
}

void KeepOptions::check() const {
  if (anew && !keep) refuseUsage("--anew", "belongs to --keep; without it everything is measured");
}

Keeping KeepOptions::keeping() const {
  if (!keep) return {};
  return {std::make_shared<const ResultCache>(ResultCache::defaultFolder()),
          anew ? Keeping::Use::Measured : Keeping::Use::KeptOrMeasured};
}

void sayMeasured(const std::string& measured, Terminal& terminal) {
  if (!measured.empty() && !terminal.json()) terminal.print(measuredText(measured));
}

Json measuredJson(const std::string& measured) {
  return measured.empty() ? Json(nullptr) : Json(measured);
}

}  // namespace headlight::cli
