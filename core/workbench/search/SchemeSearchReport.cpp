// SPDX-License-Identifier: GPL-3.0-or-later

// SchemeSearch.h: what a search is written down as.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/workbench/search/SchemeSearch.h"

namespace headlight {
namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

std::string millionsText(std::int64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f M", static_cast<double>(number) / 1e6);
  return text;
}

/// A line a layer: a letter a head, "." where it is not masked.
std::string schemeLines(const MaskScheme& scheme) {
  std::string lines;
  for (int layer = 0; layer < scheme.layers(); ++layer) {
    char label[32];
    std::snprintf(label, sizeof label, "    layer %2d  ", layer);
    lines += label;
    for (const HeadMask& mask : scheme.layer(layer))
      lines.append(mask.kind == MaskKind::None ? "." : shortText(mask)).append(" ");
    lines.back() = '\n';
  }
  return lines;
}

/// "| a | b |", a line.
std::string rowOf(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += ' ';
    row += cell;
    row += " |";
  }
  row += '\n';
  return row;
}

std::string roundsTable(const std::vector<SearchRound>& rounds) {
  std::string text = "| Round | Masked heads | Best top-1 | Last top-1 |\n|---|---:|---:|---:|\n";
  for (const SearchRound& round : rounds)
    text += rowOf({round.name, std::to_string(round.scheme.maskedHeads()), percent(round.bestScore),
                   percent(round.lastScore)});
  return text + "\n";
}

std::string trialsTable(const std::vector<SearchTrial>& trials) {
  std::string text =
      "| Tried | Masked heads | MACs | Top-1 | Loss | Taken |\n|---|---:|---:|---:|---:|---|\n";
  for (const SearchTrial& trial : trials)
    text += rowOf({trial.name, std::to_string(trial.scheme.maskedHeads()), millionsText(trial.macs),
                   percent(trial.top1), numberText(std::round(1e4 * trial.loss) / 1e4),
                   trial.taken ? "yes" : "no"});
  return text + "\n";
}

std::string headText(const SearchDecision& decision, const char* whole) {
  return decision.head < 0 ? whole : std::to_string(decision.head);
}

std::string decisionsTable(const std::vector<SearchDecision>& decisions) {
  std::string text = "| Round | Layer | Head | Decision | Reason |\n|---|---:|---|---|---|\n";
  for (const SearchDecision& decision : decisions)
    text += rowOf({decision.round, std::to_string(decision.layer), headText(decision, "all"),
                   decision.action, decision.reason});
  return text + "\n";
}

}  // namespace

std::string searchDecisionsCsv(const std::vector<SearchDecision>& decisions) {
  std::string text = "round,layer,head,value,decision,reason\n";
  for (const SearchDecision& decision : decisions) {
    const std::string value = std::isnan(decision.value) ? "" : numberText(decision.value);
    for (const std::string& cell : {decision.round, std::to_string(decision.layer),
                                    headText(decision, ""), value, decision.action})
      text.append(cell).append(",");
    text.append(csvQuoted(decision.reason)).append("\n");
  }
  return text;
}

std::string searchReportText(const SearchPlan& plan, const SearchReport& report) {
  const double saved =
      1 - static_cast<double>(report.macs) / static_cast<double>(report.unmaskedMacs);
  char summary[300];
  std::snprintf(summary, sizeof summary,
                "%d heads masked, %s multiply-accumulates instead of %s (%s fewer); measured on "
                "%lld images of the validation split.\n"
                "\n",
                report.scheme.maskedHeads(), millionsText(report.macs).c_str(),
                millionsText(report.unmaskedMacs).c_str(), percent(saved).c_str(),
                static_cast<long long>(report.images));
  std::string text = "# ";
  text.append(plan.experiment.name).append(": ").append(plan.options.method).append(" search\n\n");
  text.append(summary).append(schemeLines(report.scheme)).append("\n");
  if (!report.rounds.empty()) text.append("## Rounds\n\n").append(roundsTable(report.rounds));
  if (!report.trials.empty()) text.append("## Tried\n\n").append(trialsTable(report.trials));
  if (!report.decisions.empty())
    text.append("## Decisions\n\n").append(decisionsTable(report.decisions));
  return text;
}

}  // namespace headlight
