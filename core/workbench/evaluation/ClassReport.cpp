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
  for (const PictureVerdict& picture : result.pictures) {
    ClassResult& one = classes[picture.label];
    ++one.pictures;
    one.right += picture.right();
    one.amongFive += picture.amongFive;
    one.loss += picture.loss;
  }
  std::vector<ClassResult> list;
  for (auto& [index, one] : classes) {
    one.index = index;
    one.name = classNameOf(result, index);
    one.loss /= static_cast<double>(one.pictures);
    list.push_back(one);
  }
  return list;
}

void countConfusion(const SchemeResult& result, ClassReport& report) {
  std::set<int> involved;
  for (const PictureVerdict& picture : result.pictures)
    involved.insert({picture.label, picture.predicted});
  report.confused.assign(involved.begin(), involved.end());
  std::map<int, std::size_t> place;
  for (std::size_t i = 0; i < report.confused.size(); ++i)
    place[report.confused[i]] = i;
  report.confusion.assign(involved.size(), std::vector<std::int64_t>(involved.size(), 0));
  for (const PictureVerdict& picture : result.pictures)
    ++report.confusion[place[picture.label]][place[picture.predicted]];
}

std::vector<PictureVerdict> worstOf(std::vector<PictureVerdict> pictures, std::size_t most) {
  const auto worse = [](const PictureVerdict& a, const PictureVerdict& b) {
    return a.loss > b.loss || (a.loss == b.loss && a.index < b.index);
  };
  std::sort(pictures.begin(), pictures.end(), worse);
  pictures.resize(std::min(pictures.size(), most));
  return pictures;
}

}  // namespace

std::string classNameOf(const SchemeResult& result, int index) {
  const bool named = index >= 0 && static_cast<std::size_t>(index) < result.classNames.size();
  return named ? result.classNames[static_cast<std::size_t>(index)]
               : "class " + std::to_string(index);
}

ClassReport classReport(const SchemeResult& result, std::size_t worst) {
  ClassReport report;
  report.classes = byClass(result);
  countConfusion(result, report);
  report.worst = worstOf(result.pictures, worst);
  return report;
}

std::string classesCsv(const ClassReport& report) {
  std::string text = "class,name,pictures,top1,top5,loss\n";
  for (const ClassResult& one : report.classes)
    text.append(std::to_string(one.index))
        .append(",")
        .append(csvQuoted(one.name))
        .append(",")
        .append(std::to_string(one.pictures))
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
    text.append(",").append(csvQuoted(classNameOf(result, predicted)));
  text += '\n';
  for (std::size_t row = 0; row < report.confused.size(); ++row) {
    text += csvQuoted(classNameOf(result, report.confused[row]));
    for (const std::int64_t count : report.confusion[row])
      text.append(",").append(std::to_string(count));
    text += '\n';
  }
  return text;
}

}  // namespace headlight
