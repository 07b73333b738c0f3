// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/SchemeTable.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/options/CacheOptions.h"
#include "app/cli/reports/EvaluationText.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

std::string classText(int index, const std::vector<std::string>& names) {
  return index < static_cast<int>(names.size()) ? names[index] : "class " + std::to_string(index);
}

Json verdictJson(const ImageVerdict& verdict, const std::vector<std::string>& names) {
  return {{"class", verdict.predicted},
          {"class_name", classText(verdict.predicted, names)},
          {"probability", verdict.probability},
          {"loss", verdict.loss}};
}

Json changesJson(const std::vector<ImageChange>& changes, const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const ImageChange& change : changes)
    list.push_back({{"index", change.before.index},
                    {"name", change.before.name},
                    {"label", change.before.label},
                    {"label_name", classText(change.before.label, names)},
                    {"before", verdictJson(change.before, names)},
                    {"after", verdictJson(change.after, names)}});
  return list;
}

Json effectJson(const MaskEffect& effect, const std::string& from,
                const std::vector<std::string>& names) {
  return {{"from", from},
          {"loss_rise", effect.lossRise},
          {"top1_rise", effect.top1Rise},
          {"top5_rise", effect.top5Rise},
          {"changed", effect.changed},
          {"mended", effect.mended},
          {"broken", effect.broken},
          {"changes", changesJson(effect.changes, names)},
          {"worst", changesJson(effect.worst, names)}};
}

std::string verdictText(const ImageVerdict& verdict, const std::vector<std::string>& names) {
  char share[32];
  std::snprintf(share, sizeof share, " %.1f %%", 100 * verdict.probability);
  return classText(verdict.predicted, names) + share;
}

void printChanges(const char* title, const std::vector<ImageChange>& changes,
                  const std::vector<std::string>& names, Terminal& terminal) {
  if (!changes.empty()) terminal.print(title);
  for (const ImageChange& change : changes) {
    char loss[64];
    std::snprintf(loss, sizeof loss, "  loss %.3f -> %.3f", change.before.loss, change.after.loss);
    terminal.print("    " + change.before.name + "  " + classText(change.before.label, names) +
                   ": " + verdictText(change.before, names) + " -> " +
                   verdictText(change.after, names) + loss);
  }
}

void printScheme(const std::string& name, std::size_t width, const MaskScheme& scheme,
                 const SchemeResult& result, Terminal& terminal) {
  char line[160];
  std::snprintf(line, sizeof line, tr("  loss %.4f  top-1 %.2f %%  top-5 %.2f %%  %d heads masked"),
                result.loss, 100 * result.top1, 100 * result.top5, scheme.maskedHeads());
  terminal.print(name + std::string(width - name.size(), ' ') + line);
}

void printEffect(const SchemeTable& table, std::size_t from, const MaskEffect& effect,
                 Terminal& terminal) {
  char line[200];
  std::snprintf(line, sizeof line,
                tr("loss %+.4f  top-1 %+.2f points  %lld of %lld predictions change, %lld "
                   "corrected, %lld broken"),
                effect.lossRise, 100 * effect.top1Rise, static_cast<long long>(effect.changed),
                static_cast<long long>(effect.images), static_cast<long long>(effect.mended),
                static_cast<long long>(effect.broken));
  terminal.print(tr("from ") + table.names[from] + " to " + table.names[0] + ": " + line);
  const auto& names = table.results[0].classNames;
  printChanges(tr("  predictions that change"), effect.changes, names, terminal);
  printChanges(tr("  losses that rise most"), effect.worst, names, terminal);
}

}  // namespace

void reportSchemes(const SchemeTable& table, Terminal& terminal) {
  Json schemes = Json::array(), effects = Json::array();
  std::size_t width = 0;
  for (const std::string& name : table.names)
    width = std::max(width, name.size());
  for (std::size_t s = 0; s < table.results.size(); ++s) {
    const SchemeResult& result = table.results[s];
    schemes.push_back({{"masks", table.names[s]},
                       {"masked_heads", table.schemes[s].maskedHeads()},
                       {"images", result.images.size()},
                       {"loss", result.loss},
                       {"top1", result.top1},
                       {"top5", result.top5},
                       {"skipped", result.skipped},
                       {"class_match", classMatchJson(result.classMatch)},
                       {"measured", measuredJson(result.measured)}});
    if (!terminal.json()) printScheme(table.names[s], width, table.schemes[s], result, terminal);
  }
  for (std::size_t s = 1; s < table.results.size(); ++s) {
    const MaskEffect effect =
        valueOrThrow(maskEffect(table.results[s], table.results[0], table.changes));
    effects.push_back(effectJson(effect, table.names[s], table.results[0].classNames));
    if (!terminal.json()) printEffect(table, s, effect, terminal);
  }
  if (terminal.json())
    terminal.printJson(
        Json{{"schemes", schemes}, {"effects", effects}, {"precision", table.precision}});
}

}  // namespace headlight::cli
