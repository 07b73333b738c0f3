// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/SweepFigures.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/sweeps/SweepDesign.h"

namespace headlight::cli {
namespace {

/// Without the fraction of a second that nobody believes.
std::string aboutText(double seconds) {
  return tr("about ") + formatDuration(seconds);
}

void reportVariants(const SweepPlan& plan, const SweepEstimate& estimate, Terminal& terminal) {
  std::size_t width = 0;
  for (const SweepVariant& variant : plan.variants)
    width = std::max(width, variant.name.size());
  for (std::size_t v = 0; v < plan.variants.size(); ++v) {
    std::string line = plan.variants[v].name;
    line.resize(width, ' ');
    const double seconds = estimate.secondsOfRun[v];
    terminal.print(line + (seconds > 0 ? tr("  a run ") + aboutText(seconds) : "  finished"));
  }
}

}  // namespace

void reportPlan(const SweepPlan& plan, const SweepEstimate& estimate, Terminal& terminal) {
  if (terminal.json()) {
    Json variants = Json::array();
    for (std::size_t v = 0; v < plan.variants.size(); ++v)
      variants.push_back(
          {{"variant", plan.variants[v].name}, {"seconds_of_run", estimate.secondsOfRun[v]}});
    terminal.printJson(Json{{"event", "plan"},
                            {"runs", estimate.runs},
                            {"left", estimate.left},
                            {"seconds", estimate.seconds},
                            {"variants", variants}});
    return;
  }
  reportVariants(plan, estimate, terminal);
  terminal.print(std::to_string(estimate.runs) + tr(" runs, ") + std::to_string(estimate.left) +
                 tr(" left: ") + aboutText(estimate.seconds));
}

void writeCurves(const SweepPlan& plan, const SweepReport& report,
                 const std::vector<std::string>& axes, const std::filesystem::path& output,
                 Terminal& terminal) {
  for (const std::string& axis : axes) {
    const SweepCurves curves = valueOrThrow(sweepCurves(plan, report.rows, axis));
    const std::filesystem::path stem = output / (kSweepCurves + axis);
    const auto name = [&](const char* suffix) { return stem.string() + suffix; };
    valueOrThrow(writeFileAtomically(name(".csv"), sweepCurvesCsv(plan, curves)));
    for (const char* kind : {".png", ".pdf"})
      valueOrThrow(writeSweepCurves(name(kind), plan, curves));
    terminal.note(tr("over ") + axis + ": " + name(".csv") + ", .png, .pdf");
  }
}

}  // namespace headlight::cli
