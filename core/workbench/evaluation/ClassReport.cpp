// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/ClassReport.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/Text.h"

namespace headlight {
namespace {

std::vector<ClassResult> byClass(const SchemeResult& result) {
  std::map<int, ClassResult> classes;
  for (const ImageVerdict& image : result.images) {
    ClassResult& one = classes[image.label];
    ++one.images;
    one.right += image.right();
    one.amongFive += image.amongFive;
    one.loss += image.loss;
  }
  std::vector<ClassResult> list;
  for (auto& [index, one] : classes) {
    one.index = index;
    one.name = findClassName(result, index);
    one.loss /= static_cast<double>(one.images);
    list.push_back(one);
  }
  return list;
}

void countConfusion(const SchemeResult& result, ClassReport& report) {
  std::set<int> involved;
  for (const ImageVerdict& image : result.images)
    involved.insert({image.label, image.predicted});
  report.confused.assign(involved.begin(), involved.end());
  std::map<int, std::size_t> place;
  for (std::size_t i = 0; i < report.confused.size(); ++i)
    place[report.confused[i]] = i;
  report.confusion.assign(involved.size(), std::vector<std::int64_t>(involved.size(), 0));
  for (const ImageVerdict& image : result.images)
    ++report.confusion[place[image.label]][place[image.predicted]];
}

std::vector<ImageVerdict> worstOf(std::vector<ImageVerdict> images, std::size_t most) {
  const auto worse = [](const ImageVerdict& a, const ImageVerdict& b) {
    return a.loss > b.loss || (a.loss == b.loss && a.index < b.index);
  };
  std::sort(images.begin(), images.end(), worse);
  images.resize(std::min(images.size(), most));
  return images;
}

}  // namespace

std::string findClassName(const SchemeResult& result, int index) {
  const bool named = index >= 0 && static_cast<std::size_t>(index) < result.classNames.size();
  return named ? result.classNames[static_cast<std::size_t>(index)]
               : "class " + std::to_string(index);
}

ClassReport classReport(const SchemeResult& result, std::size_t worst) {
  ClassReport report;
  report.classes = byClass(result);
  countConfusion(result, report);
  report.worst = worstOf(result.images, worst);
  return report;
}

std::string classesCsv(const ClassReport& report) {
  std::string text = "class,name,pictures,top1,top5,loss\n";
  for (const ClassResult& one : report.classes)
    text.append(std::to_string(one.index))
        .append(",")
        .append(csvQuoted(one.name))
        .append(",")
        .append(std::to_string(one.images))
        .append(",")
        .append(numberText(one.top1()))
        .append(",")
        .append(numberText(one.top5()))
        .append(",")
        .append(numberText(one.loss))
        .append("\n");
  return text;
}

std::string confusionCsv(const ClassReport& report, const SchemeResult& result) {
  std::string text = "class";
  for (const int predicted : report.confused)
    text.append(",").append(csvQuoted(findClassName(result, predicted)));
  text += '\n';
  for (std::size_t row = 0; row < report.confused.size(); ++row) {
    text += csvQuoted(findClassName(result, report.confused[row]));
    for (const std::int64_t count : report.confusion[row])
      text.append(",").append(std::to_string(count));
    text += '\n';
  }
  return text;
}

}  // namespace headlight
