// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/ClassTable.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/options/CacheOptions.h"
#include "app/cli/reports/EvaluationText.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"

namespace headlight::cli {
namespace {

Json classesJson(const ClassReport& report) {
  Json list = Json::array();
  for (const ClassResult& one : report.classes)
    list.push_back({{"class", one.index},
                    {"name", one.name},
                    {"images", one.images},
                    {"top1", one.top1()},
                    {"top5", one.top5()},
                    {"loss", one.loss}});
  return list;
}

Json worstJson(const ClassReport& report, const SchemeResult& result) {
  Json list = Json::array();
  for (const ImageVerdict& image : report.worst)
    list.push_back({{"index", image.index},
                    {"name", image.name},
                    {"label", image.label},
                    {"label_name", findClassName(result, image.label)},
                    {"class", image.predicted},
                    {"class_name", findClassName(result, image.predicted)},
                    {"probability", image.probability},
                    {"loss", image.loss}});
  return list;
}

void printJson(const ClassTable& table, const ClassReport& report, Terminal& terminal) {
  terminal.printJson(Json{{"images", table.result.images.size()},
                          {"loss", table.result.loss},
                          {"top1", table.result.top1},
                          {"top5", table.result.top5},
                          {"skipped", table.result.skipped},
                          {"precision", table.precision},
                          {"measured", measuredJson(table.result.measured)},
                          {"class_match", classMatchJson(table.result.classMatch)},
                          {"classes", classesJson(report)},
                          {"confused", report.confused},
                          {"confusion", report.confusion},
                          {"worst", worstJson(report, table.result)}});
}

void printClasses(const ClassReport& report, Terminal& terminal) {
  std::size_t width = 5;
  for (const ClassResult& one : report.classes)
    width = std::max(width, one.name.size());
  terminal.print("class" + std::string(width - 5, ' ') + "  images    top-1    top-5    loss");
  for (const ClassResult& one : report.classes) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%8lld  %5.1f %%  %5.1f %%  %6.3f",
                  static_cast<long long>(one.images), 100 * one.top1(), 100 * one.top5(), one.loss);
    terminal.print(one.name + std::string(width - one.name.size(), ' ') + numbers);
  }
}

void printWorst(const ClassReport& report, const SchemeResult& result, Terminal& terminal) {
  for (const ImageVerdict& image : report.worst) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, " %.1f %%, loss %.3f", 100 * image.probability,
                  image.loss);
    terminal.print(image.name + "  " + findClassName(result, image.label) + tr(" taken for ") +
                   findClassName(result, image.predicted) + numbers);
  }
}

}  // namespace

void reportClasses(const ClassTable& table, Terminal& terminal) {
  const ClassReport report = classReport(table.result, table.worst);
  if (!table.csv.empty()) valueOrThrow(writeFileAtomically(table.csv, classesCsv(report)));
  if (!table.confusion.empty())
    valueOrThrow(writeFileAtomically(table.confusion, confusionCsv(report, table.result)));
  if (terminal.json()) return printJson(table, report, terminal);
  char line[160];
  std::snprintf(line, sizeof line, tr("%zu images  loss %.4f  top-1 %.2f %%  top-5 %.2f %%"),
                table.result.images.size(), table.result.loss, 100 * table.result.top1,
                100 * table.result.top5);
  terminal.print(line);
  if (table.classes) printClasses(report, terminal);
  printWorst(report, table.result, terminal);
}

}  // namespace headlight::cli
