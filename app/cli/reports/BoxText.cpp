// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/BoxText.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/reports/EvaluationText.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

void addNumbers(Json& json, const PrecisionNumbers& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    json[kPrecisionKeys[i]] = numbers[i] == kNoPrecision ? Json() : Json(numbers[i]);
}

Json boxClassesJson(const BoxReport& report) {
  Json list = Json::array();
  for (std::size_t i = 0; i < report.categories.size(); ++i) {
    Json one = {{"id", report.categories[i].id},
                {"name", report.categories[i].name},
                {"boxes", report.categoryBoxes[i]}};
    addNumbers(one, report.precision.classes[i]);
    list.push_back(std::move(one));
  }
  return list;
}

/// " 28.71 %"; a hyphen where nothing counts.
std::string shareText(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%7.2f %%", 100 * share);
  return share == kNoPrecision ? "        -" : text;
}

/// A name and numbers, by their places in PrecisionNumbers.
std::string rowText(const char* name, const PrecisionNumbers& numbers,
                    std::initializer_list<std::size_t> places) {
  char text[32];
  std::snprintf(text, sizeof text, "%-8s", name);
  std::string row = text;
  for (const std::size_t place : places)
    row += " " + shareText(numbers[place]);
  return row;
}

}  // namespace

Json boxReportJson(const BoxReport& report) {
  Json json = {
      {"images", report.images}, {"boxes", report.trueBoxes}, {"found", report.foundBoxes}};
  addNumbers(json, report.precision.all);
  json["classes"] = boxClassesJson(report);
  json["class_match"] = classMatchJson(report.classMatch);
  json["images_per_second"] = report.imagesPerSecond > 0 ? Json(report.imagesPerSecond) : Json();
  json["notes"] = report.notes;
  return json;
}

void printBoxReport(const BoxReport& report, Terminal& terminal) {
  char speed[48] = "";
  if (report.imagesPerSecond > 0)
    std::snprintf(speed, sizeof speed, tr("  %.1f images/s"), report.imagesPerSecond);
  terminal.print(countText(report.images, tr("image"), tr("images")) + "  " +
                 countText(report.trueBoxes, tr("true box"), tr("true boxes")) + "  " +
                 std::to_string(report.foundBoxes) + tr(" found") + speed);
  const PrecisionNumbers& all = report.precision.all;
  terminal.print(tr("               all     small    medium     large"));
  terminal.print(rowText("AP", all, {0, 3, 4, 5}));
  terminal.print(rowText("AP50", all, {1}));
  terminal.print(rowText("AP75", all, {2}));
  terminal.print(rowText("AR 1", all, {6}));
  terminal.print(rowText("AR 10", all, {7}));
  terminal.print(rowText("AR 100", all, {8, 9, 10, 11}));
}

void printBoxClasses(const BoxReport& report, Terminal& terminal) {
  std::size_t width = 5;
  for (const BoxCategory& category : report.categories)
    width = std::max(width, category.name.size());
  terminal.print(tr("class") + std::string(width - 5, ' ') +
                 "     boxes        AP      AP50      AP75    AR 100");
  for (std::size_t i = 0; i < report.categories.size(); ++i) {
    const std::string& name = report.categories[i].name;
    char boxes[24];
    std::snprintf(boxes, sizeof boxes, "%10lld", static_cast<long long>(report.categoryBoxes[i]));
    std::string row = name + std::string(width - name.size(), ' ') + boxes;
    for (const std::size_t place : {0, 1, 2, 8})
      row += " " + shareText(report.precision.classes[i][place]);
    terminal.print(row);
  }
}

}  // namespace headlight::cli
