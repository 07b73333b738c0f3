// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/AdaptTable.h"

#include <algorithm>
#include <cstdio>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/evaluation/ClassReport.h"

namespace headlight::cli {
namespace {

Json adaptScoreJson(const AdaptScore& score) {
  if (score.images == 0) return nullptr;
  return {{"images", score.images},
          {"right", score.right},
          {"top1", score.top1},
          {"low", score.interval.low},
          {"high", score.interval.high}};
}

Json triedJson(const AdaptReport& report) {
  Json list = Json::array();
  for (const TriedStrength& tried : report.tried)
    list.push_back({{"l2", tried.l2}, {"top1", tried.top1}, {"loss", tried.loss}});
  return list;
}

/// Images by class, and how many of those held out are right.
Json taughtClassesJson(const AdaptReport& report) {
  Json list = Json::array();
  for (const TaughtClass& one : report.classes)
    list.push_back(
        {{"name", one.name}, {"fitted", one.fitted}, {"held", one.held}, {"top1", nullptr}});
  const ClassReport counted = classReport(report.probe, 0);
  for (const ClassResult& one : counted.classes)
    list[static_cast<std::size_t>(one.index)]["top1"] = one.top1();
  return list;
}

Json worstImagesJson(const AdaptReport& report, std::size_t most) {
  Json list = Json::array();
  const ClassReport counted = classReport(report.probe, most);
  for (const ImageVerdict& image : counted.worst)
    list.push_back({{"name", image.name},
                    {"label_name", findClassName(report.probe, image.label)},
                    {"class_name", findClassName(report.probe, image.predicted)},
                    {"probability", image.probability},
                    {"loss", image.loss}});
  return list;
}

Json besideJson(const AdaptTable& table) {
  if (!table.beside) return nullptr;
  return {{"masks", table.besideName},
          {"same_probe",
           table.beside->previous ? adaptScoreJson(*table.beside->previous) : Json(nullptr)},
          {"fitted_again", adaptScoreJson(table.beside->score)},
          {"knn", adaptScoreJson(table.beside->neighbors)}};
}

void printTaughtClasses(const AdaptReport& report, Terminal& terminal) {
  std::size_t width = 5;
  for (const TaughtClass& one : report.classes)
    width = std::max(width, one.name.size());
  const ClassReport counted = classReport(report.probe, 0);
  terminal.print(tr("class") + std::string(width - 5, ' ') + tr("  training  held out    top-1"));
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const TaughtClass& one = report.classes[i];
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "  %8lld  %8lld", static_cast<long long>(one.fitted),
                  static_cast<long long>(one.held));
    std::string share = "        -";
    for (const ClassResult& result : counted.classes)
      if (result.index == static_cast<int>(i)) {
        char text[32];
        std::snprintf(text, sizeof text, "  %5.1f %%", 100 * result.top1());
        share = text;
      }
    terminal.print(one.name + std::string(width - one.name.size(), ' ') + numbers + share);
  }
}

void printWorstImages(const AdaptReport& report, std::size_t most, Terminal& terminal) {
  const ClassReport counted = classReport(report.probe, most);
  for (const ImageVerdict& image : counted.worst) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, " %.1f %%, loss %.3f", 100 * image.probability,
                  image.loss);
    terminal.print(image.name + "  " + findClassName(report.probe, image.label) +
                   tr(" taken for ") + findClassName(report.probe, image.predicted) + numbers);
  }
}

void printBeside(const AdaptTable& table, Terminal& terminal) {
  if (!table.beside) return;
  const std::string masks = tr("with masks ") + table.besideName;
  if (table.beside->previous)
    terminal.print(masks + tr(", the same probe: ") + adaptScoreText(*table.beside->previous));
  terminal.print(masks + tr(", fitted again: ") + adaptScoreText(table.beside->score));
}

void printFeatures(const AdaptReport& report, Terminal& terminal) {
  char seconds[128];
  std::snprintf(seconds, sizeof seconds, tr(" in %.1f s, fit in %.2f s, measured in %.2f s"),
                report.featureSeconds, report.fitSeconds, report.measureSeconds);
  terminal.print(std::to_string(report.head.width) + tr(" features (") + report.head.token + "), " +
                 countText(report.computed, tr("image computed"), tr("images computed")) + ", " +
                 std::to_string(report.reused) + tr(" kept before,") + seconds);
}

}  // namespace

Json adaptJson(const AdaptTable& table) {
  const AdaptReport& report = table.report;
  const ClassReport counted = classReport(report.probe, 0);
  Json json{{"token", report.head.token},
            {"layers", report.head.layers},
            {"features", report.head.width},
            {"classes", taughtClassesJson(report)},
            {"probe", adaptScoreJson(report.score)},
            {"loss", report.score.images > 0 ? Json(report.probe.loss) : Json(nullptr)},
            {"knn", adaptScoreJson(report.neighbors)},
            {"l2", report.l2},
            {"tried", triedJson(report)},
            {"iterations", report.iterations}};
  json["confused"] = counted.confused;
  json["confusion"] = counted.confusion;
  json["worst"] = worstImagesJson(report, table.worst);
  json["beside"] = besideJson(table);
  json["computed"] = report.computed;
  json["reused"] = report.reused;
  json["feature_seconds"] = report.featureSeconds;
  json["fit_seconds"] = report.fitSeconds;
  json["measure_seconds"] = report.measureSeconds;
  json["notes"] = report.notes;
  json["output"] = table.output.empty() ? Json(nullptr) : Json(table.output);
  return json;
}

void printAdaptTable(const AdaptTable& table, Terminal& terminal) {
  const AdaptReport& report = table.report;
  for (const std::string& note : report.notes)
    terminal.warning(note);
  printFeatures(report, terminal);
  terminal.print(tr("linear probe: ") + adaptScoreText(report.score) + tr(", L2 penalty ") +
                 numberText(report.l2));
  terminal.print(tr("k-NN: ") + adaptScoreText(report.neighbors));
  printBeside(table, terminal);
  if (table.classes) printTaughtClasses(report, terminal);
  printWorstImages(report, table.worst, terminal);
  if (!table.output.empty()) terminal.print(tr("saved ") + table.output);
}

}  // namespace headlight::cli
